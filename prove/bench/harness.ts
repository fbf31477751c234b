import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isDueSince } from '../../models/due.ts';
import { isDue } from '../../models/schemas/due.ts';
import { newId } from '../../platform/ids.ts';
import { startChild } from './child.ts';
import { type Answers, type BenchTable, errorCount, figure, median, perSecond } from './figures.ts';
import { type FloorQuestion, floorPaths } from './floor-server.ts';
import type { LoadJob, PartnerAccess, Work } from './generator.ts';
import { readCpuMs } from './meter.ts';
import { type BenchKeys, preparePartners } from './partners.ts';
import { prepareBenchService } from './service.ts';

/** How many of everything: a full run, or a smoke run that shows only that the bench works. */
export interface BenchSize {
  isQuick: boolean;
  /** How many TEST purchases another partner's purchase has to pass. */
  waiting: number;
  /** How many purchases the measured database has at most. */
  records: number;
  log: (line: string) => void;
}

export type Bench = Awaited<ReturnType<typeof openBench>>;

export const concurrencies = [1, 16, 64] as const;
const pollMs = 100;
const patienceMs = 60 * 60_000;
/** Below this share of the purchases, the backlog after the last response is too small to time. */
const minBacklogShare = 0.2;

/** What every part needs: a service with fresh data, partners, and the process that sends their requests. */
export async function openBench(dataDir: string, size: BenchSize) {
  const service = await prepareBenchService(dataDir, size.log);
  const { models } = service.deps;
  const openPartner = await preparePartners(service);
  const generator = startChild<LoadJob, Answers>('./generator.ts');

  /** Accepted purchases that the workflows have not accounted for; only rewards newer than this id. */
  async function countBehind(sinceReward: string): Promise<number> {
    const newer = { _id: { $gt: sinceReward } } as object;
    const [notBegun, notAccounted] = await Promise.all([
      models.orderEvents.countDocuments(isDue),
      models.rewards.collection.countDocuments({ state: 'ACCEPTED', ...newer }),
    ]);
    return notBegun + notAccounted;
  }

  async function untilCaughtUp(sinceReward: string): Promise<void> {
    await waitUntil(async () => (await countBehind(sinceReward)) === 0, 'the workflows catch up');
  }

  const run = (work: Work, concurrency: number, count: number): Promise<Answers> =>
    generator.ask({ work, concurrency, count });

  return {
    ...size,
    service,
    openPartner,
    run,
    /** A new prefix for order ids. */
    newOrders: (): string => randomUUID().slice(0, 8),
    /** A count for full runs; a tenth of it for smoke runs. */
    count: (full: number): number => (size.isQuick ? Math.ceil(full / 10) : full),
    rounds: size.isQuick ? 1 : 3,

    /** New orders, from the first request until the workflows have caught up. */
    async sell({ concurrency, count, ...of }: Sale): Promise<SaleResult> {
      const sinceReward = newId('reward');
      const before = await readCpuMs(service.pids());
      const work = { kind: 'purchases', orders: randomUUID().slice(0, 8), ...of } as const;
      const answers = await run(work, concurrency, count);
      const endMs = performance.now();
      const behind = await countBehind(sinceReward);
      await untilCaughtUp(sinceReward);
      const drainMs = performance.now() - endMs;
      const after = await readCpuMs(service.pids());
      const cpuMs: Record<string, number> = {};
      for (const [name, ms] of Object.entries(after)) {
        cpuMs[name] = (ms - (before[name] ?? 0)) / answers.answered;
      }
      return { answers, completedPerSecond: completionRate(answers, behind, drainMs), cpuMs };
    },

    /** Waits until workflows have acted on everything. @returns milliseconds */
    async untilCarriedOut(): Promise<number> {
      const startMs = performance.now();
      await waitUntil(
        async () => !(await isDueSince(models, new Date())),
        'everything is acted on',
      );
      return performance.now() - startMs;
    },

    close: async (): Promise<void> => {
      generator.stop();
      await service.close();
    },
  };
}

interface Sale {
  access: PartnerAccess;
  concurrency: number;
  count: number;
  orders?: string;
  customer?: string;
}

export interface SaleResult {
  answers: Answers;
  completedPerSecond: number;
  /** CPU milliseconds per purchase, by kind of process. */
  cpuMs: Record<string, number>;
}

/**
 * How many purchases per second reach their timer. If many are left after the last response, this is the rate
 * at which the backlog is cleared; otherwise the average over the whole time.
 */
export function completionRate(
  { answered, elapsedMs }: Pick<Answers, 'answered' | 'elapsedMs'>,
  behind: number,
  drainMs: number,
): number {
  const isLarge = behind > answered * minBacklogShare;
  const [count, ms] = isLarge ? [behind, drainMs] : [answered, elapsedMs + drainMs];
  return (count * 1_000) / ms;
}

/** @throws Error if it is not so within an hour */
export async function waitUntil(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await delay(pollMs);
  }
}

/** Starts the floor server; there must be a purchase to copy. @returns its work, by path */
export async function openFloors({ service, run, count }: Bench, { key, secret }: BenchKeys) {
  const server = startChild<FloorQuestion, number>('./floor-server.ts');
  const port = await server.ask({ mongodbUri: service.deps.config.mongodbUri, secret });
  const access = { key, secret, baseUrls: [`http://127.0.0.1:${port}`] };
  const floor = (pathname: string): Work => ({ kind: 'floor', access, pathname });
  const floors = { insert: floor(floorPaths.insert), update: floor(floorPaths.update) };
  for (const work of [floors.insert, floors.update]) await run(work, 16, count(1_000));
  return { ...floors, stop: server.stop };
}

/** One window of ours right after one of its floor. */
export interface Pair {
  floor: Answers;
  ours: Answers;
}

const besideFloor = [
  'at once',
  'floor/s',
  'ours/s',
  'share of floor',
  'floor p50 ms',
  'ours p50 ms',
  'floor p95 ms',
  'ours p95 ms',
  'errors',
];

/** A table with a row per concurrency; each cell is the median over the rounds. */
export function tableBesideFloor(title: string, pairsBy: Map<number, Pair[]>): BenchTable {
  const rows = [...pairsBy].map(([concurrency, pairs]) => {
    const of = (value: (pair: Pair) => number) => median(pairs.map(value));
    return [
      concurrency,
      of(({ floor }) => perSecond(floor)),
      of(({ ours }) => perSecond(ours)),
      of(shareOfFloor),
      of(({ floor }) => floor.p50),
      of(({ ours }) => ours.p50),
      of(({ floor }) => floor.p95),
      of(({ ours }) => ours.p95),
      pairs.reduce((sum, { ours }) => sum + errorCount(ours), 0),
    ];
  });
  return { title, columns: besideFloor, rows };
}

/** Throughput as a share of the floor's. */
export const shareOfFloor = ({ floor, ours }: Pair): number => perSecond(ours) / perSecond(floor);

interface Alternation<Prepared> {
  floor: Work;
  counts: Record<(typeof concurrencies)[number], number>;
  /** What ours needs, before the floor. */
  prepare: (count: number) => Promise<Prepared>;
  /** One window, and everything after it that must not disturb the next floor. */
  ours: (concurrency: number, count: number, prepared: Prepared) => Promise<Answers>;
}

/** Measures the floor and ours alternately, so that changes in the machine's speed affect both. */
export async function alternate<Prepared>(
  { run, rounds, count, log }: Bench,
  { floor, counts, prepare, ours }: Alternation<Prepared>,
): Promise<Map<number, Pair[]>> {
  const pairsBy = new Map<number, Pair[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const concurrency of concurrencies) {
      const size = count(counts[concurrency]);
      const prepared = await prepare(size);
      const pair = {
        floor: await run(floor, concurrency, size),
        ours: await ours(concurrency, size, prepared),
      };
      log(`  round ${round}, ${concurrency} at once: ${figure(shareOfFloor(pair))} of the floor`);
      pairsBy.set(concurrency, [...(pairsBy.get(concurrency) ?? []), pair]);
    }
  }
  return pairsBy;
}
