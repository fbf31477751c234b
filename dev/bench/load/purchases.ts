import { performance } from 'node:perf_hooks';
import type { Mode } from '../../../domain/mode.ts';
import { watchBacklog } from './behind.ts';
import { type Answers, told } from './figures.ts';
import { between, type Reading, readMeter } from './meter.ts';
import type { Scene } from './scene.ts';
import { longestMs } from './work.ts';

/** New orders, from the first request until the workflows caught up. */
export interface PurchaseWindow {
  name: string;
  atOnce: number;
  answers: Answers;
  /** How many purchases the workflows were behind, at most, and when the last was answered. */
  mostBehind: number;
  behindAtEnd: number;
  /** From the last answer on. */
  catchUpMs: number;
  completedPerSecond: number;
  used: Reading;
}

interface Sale {
  name: string;
  mode: Mode;
  atOnce: number;
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
const telling = 0.2;

export async function sell(scene: Scene, sale: Sale): Promise<PurchaseWindow> {
  const { stage, shops, generator, log } = scene;
  const { name, mode, atOnce, forMs = longestMs, atMost = Number.MAX_SAFE_INTEGER } = sale;
  const before = await readMeter(stage.models, stage.pids());
  const backlog = watchBacklog(stage.models);
  const orders = sale.orders ?? scene.newOrders();
  const work = { kind: 'purchases', place: shops[mode], orders } as const;
  const answers = await generator.ask({ work, atOnce, forMs, atMost });
  log(`  ${name}, ${atOnce} at a time: ${told(answers)}`);
  const endMs = performance.now();
  const behindAtEnd = await backlog.count();
  const mostBehind = Math.max(behindAtEnd, await backlog.untilCaughtUp());
  const catchUpMs = performance.now() - endMs;
  const used = between(before, await readMeter(stage.models, stage.pids()));
  const completed = { answers, behindAtEnd, catchUpMs };
  const completedPerSecond = completionRate(completed);
  return { name, atOnce, ...completed, mostBehind, completedPerSecond, used };
}

/**
 * How many purchases a second come as far as their timer. Where many wait after the last answer, the
 * rate at which those are worked off, with nothing else to do; else, of all, over the whole time.
 */
export function completionRate(
  window: Pick<PurchaseWindow, 'answers' | 'behindAtEnd' | 'catchUpMs'>,
): number {
  const { answers, behindAtEnd, catchUpMs } = window;
  const isTelling = behindAtEnd > answers.answered * telling;
  const [count, ms] = isTelling
    ? [behindAtEnd, catchUpMs]
    : [answers.answered, answers.elapsedMs + catchUpMs];
  return (count * 1_000) / ms;
}
