import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from './load/figures.ts';
import { readMeter, usedBetween } from './load/meter.ts';
import { sell } from './load/purchases.ts';
import type { LoadSetup } from './load/setup.ts';

/** The worker's CPU time per purchase in milliseconds, with and without webhooks, by round. */
export interface WorkerCost {
  withWebhooks: number[];
  without: number[];
  /** Purchases accepted per second meanwhile. */
  perSecond: number[];
}

const kinds = ['without', 'withWebhooks'] as const;
/** Gives some 500 purchases per second on two cores. */
const concurrency = 64;
/** Every window ends this long after its last purchase, when all background work is done. */
const settleMs = 5_000;
/** How long the idle worker is measured; its CPU time is subtracted. */
const idleMs = 5_000;

interface EndpointSwitch {
  /** Turns the partner's endpoint on or off. */
  setSubscribed(isOn: boolean): Promise<void>;
  untilArrived(count: number): Promise<unknown>;
}

/**
 * Measures both in alternation and in changing order, so that changes in the machine's speed affect both.
 * Each window contains the purchases, any deliveries, and the same pause; the CPU time of an idle worker with
 * the same endpoint is subtracted. The first round warms up.
 */
export async function costOfPurchases(
  setup: LoadSetup,
  { setSubscribed, untilArrived }: EndpointSwitch,
  { turns, purchases, log }: { turns: number; purchases: number; log(line: string): void },
): Promise<WorkerCost> {
  const { service } = setup;
  const cost: WorkerCost = { withWebhooks: [], without: [], perSecond: [] };
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
    await setSubscribed(name === 'withWebhooks');
    await delay(settleMs);
    const idleFrom = await read();
    await delay(idleMs);
    const idle = await since(idleFrom);
    const from = await read();
    const sale = { name, mode: 'TEST', concurrency, atMost: purchases } as const;
    const { answered, elapsedMs } = (await sell(setup, sale)).answers;
    cost.perSecond.push((answered * 1_000) / elapsedMs);
    if (name === 'withWebhooks') await untilArrived(answered);
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
    const [withWebhooks, without] = [cost.withWebhooks.at(-1), cost.without.at(-1)];
    if (withWebhooks && without)
      log(
        `round ${turn}: ${withWebhooks.toFixed(2)} ms with webhooks, ${without.toFixed(2)} ms without`,
      );
  }
  return cost;
}

/** The median over the rounds of the cost with webhooks relative to that without. */
export function ratioOf({ withWebhooks, without }: WorkerCost): number {
  const ratios = withWebhooks.map((ms, turn) => ms / (without[turn] ?? Number.NaN));
  return percentile(ratios, 0.5);
}
