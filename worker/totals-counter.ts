import { countRewards, nextUncounted } from '../models/rewards/totals.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Lease } from '../models/store/leases.ts';
import type { Logger } from '../platform/logger.ts';
import { startPeriodicTask } from './periodic-task.ts';

const everyMs = 2_000;

/**
 * Adds created and moved rewards to the totals of every partner. One worker process does it at a
 * time, so that processes do not compete for the same batch.
 */
export function startTotalsCounter(models: Models, lease: Lease, log: Pick<Logger, 'warn'>) {
  const failure = 'the totals of rewards could not be counted; retrying';
  const counting = startPeriodicTask(countAll, { everyMs, failure, log });

  async function countAll(signal: AbortSignal): Promise<void> {
    for (let partner = ''; !signal.aborted && (await lease.hold()); ) {
      const next = await nextUncounted(models, partner);
      if (next === undefined) break;
      await countRewards(models, next, () => signal.aborted);
      partner = next;
    }
  }

  return {
    async stop(): Promise<void> {
      await counting.stop();
      await lease.release().catch(() => undefined);
    },
  };
}
