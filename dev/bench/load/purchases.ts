import { performance } from 'node:perf_hooks';
import type { Mode } from '../../../domain/mode.ts';
import { watchBacklog } from './backlog.ts';
import { type Answers, describeAnswers } from './figures.ts';
import { type ResourceUsage, readMeter, usedBetween } from './meter.ts';
import type { LoadSetup } from './setup.ts';
import { longestMs } from './work.ts';

/** New orders, from the first request until the workflows caught up. */
export interface PurchaseWindow {
  name: string;
  concurrency: number;
  answers: Answers;
  /** How many purchases the workflows were behind, at most, and when the last was answered. */
  mostBehind: number;
  behindAtEnd: number;
  /** From the last answer on. */
  catchUpMs: number;
  completedPerSecond: number;
  used: ResourceUsage;
}

interface Sale {
  name: string;
  mode: Mode;
  concurrency: number;
  /** One of these ends it. */
  forMs?: number;
  atMost?: number;
  orders?: string;
}

/**
 * @param process its name; several of a kind, such as workers, count as one
 * @returns milliseconds of CPU for each purchase; undefined where it was not measured
 */
export function cpuMsOf({ answers, used }: PurchaseWindow, process: string): number | undefined {
  const ofKind = Object.entries(used.cpuMs).filter(([name]) => name.endsWith(process));
  if (ofKind.length === 0) return undefined;
  return ofKind.reduce((sum, [, cpuMs]) => sum + cpuMs, 0) / answers.answered;
}

/** Below this part of the purchases, what waits at the end is too little to time. */
const minBacklogShare = 0.2;

export async function sell(setup: LoadSetup, sale: Sale): Promise<PurchaseWindow> {
  const { service, partners, generator, log } = setup;
  const { name, mode, concurrency, forMs = longestMs, atMost = Number.MAX_SAFE_INTEGER } = sale;
  const before = await readMeter(service.models, service.pids());
  const backlog = watchBacklog(service.models);
  const orders = sale.orders ?? setup.newOrders();
  const work = { kind: 'purchases', access: partners[mode], orders } as const;
  const answers = await generator.ask({ work, concurrency, forMs, atMost });
  log(`  ${name}, ${concurrency} at a time: ${describeAnswers(answers)}`);
  const endMs = performance.now();
  const behindAtEnd = await backlog.count();
  const mostBehind = Math.max(behindAtEnd, await backlog.untilCaughtUp());
  const catchUpMs = performance.now() - endMs;
  const used = usedBetween(before, await readMeter(service.models, service.pids()));
  const completed = { answers, behindAtEnd, catchUpMs };
  const completedPerSecond = completionRate(completed);
  return { name, concurrency, ...completed, mostBehind, completedPerSecond, used };
}

/**
 * How many purchases a second come as far as their timer. Where many wait after the last answer, the
 * rate at which those are worked off, with nothing else to do; else, of all, over the whole time.
 */
export function completionRate(
  window: Pick<PurchaseWindow, 'answers' | 'behindAtEnd' | 'catchUpMs'>,
): number {
  const { answers, behindAtEnd, catchUpMs } = window;
  const isTelling = behindAtEnd > answers.answered * minBacklogShare;
  const [count, ms] = isTelling
    ? [behindAtEnd, catchUpMs]
    : [answers.answered, answers.elapsedMs + catchUpMs];
  return (count * 1_000) / ms;
}
