import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import { percentile } from './figures.ts';
import type { WorkerQuestion } from './floor-worker.ts';
import { cpuMsOf } from './meter.ts';
import { cpuMsOf as cpuMsOfSale, ownCpuMsOf, type PurchaseWindow, sell } from './purchases.ts';
import type { LoadSetup } from './setup.ts';

/** How fast workflows reach their timers, and the CPU milliseconds that each costs. */
export interface WorkflowCost {
  perSecond: number;
  /** API and worker; a workflow of the floor needs no API. */
  ownCpuMs: number;
  temporalCpuMs: number;
}

/** The least that a workflow costs, by what it has in common with a purchase's. */
const floors = {
  /** Only its start, its first task and a timer. */
  empty: { workflowType: 'emptyWorkflow', isDescribed: false },
  /** With two local activities that do nothing. */
  twoActivities: { workflowType: 'workflowWithTwoActivities', isDescribed: false },
  /** With one that does nothing, and with what operators see of a purchase in the Temporal UI. */
  described: { workflowType: 'workflowWithActivity', isDescribed: true },
} as const;
type Floor = keyof typeof floors;
const floorNames = Object.keys(floors) as Floor[];

/** What each of them cost in a round. */
export type WorkflowRound = Record<Floor | 'purchase', WorkflowCost>;

/** Medians of the rounds. */
export interface WorkflowCosts {
  costs: WorkflowRound;
  /** Purchases, relative to the floors of their own rounds. */
  relative: Record<Floor, WorkflowCost>;
}

/** As many as the service starts at a time. */
const startConcurrency = 4;
const taskQueue = 'bench-floor';
const pollMs = 100;
const warmUpMs = 2_000;
const rounds = 5;

/**
 * Purchases behind their responses, in alternation with the floor's workflows, so that changes in the machine's
 * speed affect all of them.
 * @param forMs of each window of the floor's workflows
 * @param atMost purchases per round
 */
export async function alternateWorkflows(
  setup: LoadSetup,
  forMs: number,
  atMost: number,
): Promise<WorkflowCosts> {
  const worker = await startFloorWorker(setup);
  const measured: WorkflowRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    const empty = await worker.measure('empty', forMs);
    const twoActivities = await worker.measure('twoActivities', forMs);
    const described = await worker.measure('described', forMs);
    const sale = { name: `round ${round}`, mode: 'LIVE', concurrency: 64, atMost } as const;
    const purchase = costOf(await sell(setup, sale));
    measured.push({ empty, twoActivities, described, purchase });
  }
  worker.stop();
  return mediansOf(measured);
}

export function mediansOf(all: readonly WorkflowRound[]): WorkflowCosts {
  const of = (figureOf: (round: WorkflowRound) => number) => percentile(all.map(figureOf), 0.5);
  const median = (costIn: (round: WorkflowRound) => WorkflowCost): WorkflowCost => ({
    perSecond: of((round) => costIn(round).perSecond),
    ownCpuMs: of((round) => costIn(round).ownCpuMs),
    temporalCpuMs: of((round) => costIn(round).temporalCpuMs),
  });
  const relativeTo = (floor: Floor) =>
    median(({ purchase, [floor]: least }) => ({
      perSecond: purchase.perSecond / least.perSecond,
      ownCpuMs: purchase.ownCpuMs / least.ownCpuMs,
      temporalCpuMs: purchase.temporalCpuMs / least.temporalCpuMs,
    }));
  return {
    costs: {
      empty: median(({ empty }) => empty),
      twoActivities: median(({ twoActivities }) => twoActivities),
      described: median(({ described }) => described),
      purchase: median(({ purchase }) => purchase),
    },
    relative: {
      empty: relativeTo('empty'),
      twoActivities: relativeTo('twoActivities'),
      described: relativeTo('described'),
    },
  };
}

function costOf(sale: PurchaseWindow): WorkflowCost {
  return {
    perSecond: sale.completedPerSecond,
    ownCpuMs: ownCpuMsOf(sale) ?? Number.NaN,
    temporalCpuMs: cpuMsOfSale(sale, 'Temporal') ?? Number.NaN,
  };
}

/** Starts a worker of the floor's workflows, and warms it up. */
async function startFloorWorker({ service }: LoadSetup) {
  const worker = startChild<WorkerQuestion, number>('./floor-worker.ts');
  await worker.ask({ run: { address: service.config.temporal.address, taskQueue } });
  const cpuMs = () => Promise.all([cpuMsOf(worker.pid), cpuMsOf(service.pids().Temporal ?? 0)]);

  /** Starts workflows for a time, and waits until they have reached their timers. */
  async function measure(floor: Floor, forMs: number): Promise<WorkflowCost> {
    const startMs = performance.now();
    const [workerMs, temporalMs] = await cpuMs();
    const before = await worker.ask({ count: true });
    const started = await worker.ask({
      start: { ...floors[floor], concurrency: startConcurrency, forMs },
    });
    while ((await worker.ask({ count: true })) < before + started) await delay(pollMs);
    const perSecond = (started * 1_000) / (performance.now() - startMs);
    const [workerEndMs, temporalEndMs] = await cpuMs();
    return {
      perSecond,
      ownCpuMs: (workerEndMs - workerMs) / started,
      temporalCpuMs: (temporalEndMs - temporalMs) / started,
    };
  }

  for (const one of floorNames) await measure(one, warmUpMs);
  return { measure, stop: worker.stop };
}
