import { performance } from 'node:perf_hooks';
import type { Mode } from '../../../domain/mode.ts';
import { watchBacklog } from './backlog.ts';
import { type Answers, describeAnswers } from './figures.ts';
import { type ResourceUsage, readMeter, usedBetween } from './meter.ts';
import type { LoadSetup } from './setup.ts';
import { longestMs } from './work.ts';

/** New orders, from the first request until the workflows have caught up. */
export interface PurchaseWindow {
  name: string;
  concurrency: number;
  answers: Answers;
  /** The backlog of the workflows at its largest, and after the last response. */
  peakBacklog: number;
  finalBacklog: number;
  /** From the last response until the backlog is cleared. */
  drainMs: number;
  completedPerSecond: number;
  used: ResourceUsage;
}

interface Sale {
  name: string;
  mode: Mode;
  concurrency: number;
  /** At least one of these limits the sale. */
  forMs?: number;
  atMost?: number;
  orders?: string;
}

/**
 * @param process its name; processes of one kind, such as workers, are added up
 * @returns CPU milliseconds per purchase; undefined if not measured
 */
export function cpuMsOf({ answers, used }: PurchaseWindow, process: string): number | undefined {
  const ofKind = Object.entries(used.cpuMs).filter(([name]) => name.endsWith(process));
  if (ofKind.length === 0) return undefined;
  return ofKind.reduce((sum, [, cpuMs]) => sum + cpuMs, 0) / answers.answered;
}

/** @returns CPU milliseconds of API and worker per purchase; undefined if not measured */
export function ownCpuMsOf(sale: PurchaseWindow): number | undefined {
  const [api, worker] = [cpuMsOf(sale, 'API'), cpuMsOf(sale, 'worker')];
  return api === undefined || worker === undefined ? undefined : api + worker;
}

/** Below this share of the purchases, the backlog after the last response is too small to time. */
const minBacklogShare = 0.2;

export async function sell(setup: LoadSetup, sale: Sale): Promise<PurchaseWindow> {
  const { service, partners, generator, log } = setup;
  const { name, mode, concurrency, forMs = longestMs, atMost = Number.MAX_SAFE_INTEGER } = sale;
  const before = await readMeter(service.models, service.pids());
  const backlog = watchBacklog(service.models);
  const orders = sale.orders ?? setup.newOrders();
  const work = { kind: 'purchases', access: partners[mode], orders } as const;
  const answers = await generator.ask({ work, concurrency, forMs, atMost });
  log(`  ${name}, concurrency ${concurrency}: ${describeAnswers(answers)}`);
  const endMs = performance.now();
  const finalBacklog = await backlog.count();
  const peakBacklog = Math.max(finalBacklog, await backlog.untilCaughtUp());
  const drainMs = performance.now() - endMs;
  const used = usedBetween(before, await readMeter(service.models, service.pids()));
  const completed = { answers, finalBacklog, drainMs };
  const completedPerSecond = completionRate(completed);
  return { name, concurrency, ...completed, peakBacklog, completedPerSecond, used };
}

/**
 * How many purchases per second reach their timer. If many are left after the last response, this is the rate
 * at which the backlog is cleared; otherwise the average over the whole time.
 */
export function completionRate(
  window: Pick<PurchaseWindow, 'answers' | 'finalBacklog' | 'drainMs'>,
): number {
  const { answers, finalBacklog, drainMs } = window;
  const isLarge = finalBacklog > answers.answered * minBacklogShare;
  const [count, ms] = isLarge
    ? [finalBacklog, drainMs]
    : [answers.answered, answers.elapsedMs + drainMs];
  return (count * 1_000) / ms;
}
