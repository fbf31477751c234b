import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from './load/figures.ts';
import { readMeter, usedBetween } from './load/meter.ts';
import { sell } from './load/purchases.ts';
import type { LoadSetup } from './load/setup.ts';

/** What a purchase costs a worker in milliseconds of CPU, told and not told, turn by turn. */
export interface WorkerCost {
  told: number[];
  untold: number[];
  /** How many purchases a second were answered meanwhile. */
  perSecond: number[];
}

const kinds = ['untold', 'told'] as const;
/** So many at a time are some 500 purchases a second on two cores. */
const concurrency = 64;
/** Both kinds of window end so long after their last purchase, when nothing lingers any more. */
const settleMs = 5_000;
/** So long nothing is done, and what the worker spends meanwhile is taken off. */
const idleMs = 5_000;

interface EndpointSwitch {
  /** Whether the partner's endpoint is told from now on. */
  setSubscribed(isTold: boolean): Promise<void>;
  untilArrived(count: number): Promise<unknown>;
}

/**
 * Measures both by turns, in an order that changes, so that a machine that becomes faster or slower does so
 * for both. Each window holds the purchases, the deliveries where there are any, and the same pause; what an
 * idle worker with the same endpoint spends in that time does not count. The first turn warms up.
 */
export async function costOfPurchases(
  setup: LoadSetup,
  { setSubscribed: tells, untilArrived }: EndpointSwitch,
  { turns, purchases, log }: { turns: number; purchases: number; log(line: string): void },
): Promise<WorkerCost> {
  const { service } = setup;
  const cost: WorkerCost = { told: [], untold: [], perSecond: [] };
  const read = async () => ({
    meter: await readMeter(service.models, service.pids()),
    atMs: performance.now(),
  });
  const since = async (before: Awaited<ReturnType<typeof read>>) => {
    const now = await read();
    return {
      cpuMs: usedBetween(before.meter, now.meter).cpuMs.worker ?? 0,
      elapsedMs: now.atMs - before.atMs,
    };
  };

  async function oneWindow(name: (typeof kinds)[number]): Promise<number> {
    await tells(name === 'told');
    await delay(settleMs);
    const idleFrom = await read();
    await delay(idleMs);
    const idle = await since(idleFrom);
    const from = await read();
    const sale = { name, mode: 'TEST', concurrency, atMost: purchases } as const;
    const { answered, elapsedMs } = (await sell(setup, sale)).answers;
    cost.perSecond.push((answered * 1_000) / elapsedMs);
    if (name === 'told') await untilArrived(answered);
    await delay(settleMs);
    const spent = await since(from);
    const idleCpuMs = (idle.cpuMs * spent.elapsedMs) / idle.elapsedMs;
    return (spent.cpuMs - idleCpuMs) / answered;
  }

  for (let turn = 0; turn <= turns; turn += 1) {
    for (const name of turn % 2 === 0 ? kinds : kinds.toReversed()) {
      const spentMs = await oneWindow(name);
      if (turn > 0) cost[name].push(spentMs);
    }
    const [told, untold] = [cost.told.at(-1), cost.untold.at(-1)];
    if (told && untold)
      log(`turn ${turn}: ${told.toFixed(2)} ms told, ${untold.toFixed(2)} ms not`);
  }
  return cost;
}

/** Of each turn what the told purchases cost of the untold: the one in the middle. */
export function ratioOf({ told, untold }: WorkerCost): number {
  const ratios = told.map((ms, turn) => ms / (untold[turn] ?? Number.NaN));
  return percentile(ratios, 0.5);
}
