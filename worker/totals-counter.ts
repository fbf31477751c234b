import { setTimeout as delay } from 'node:timers/promises';
import { countRewards, nextUncounted } from '../models/rewards/totals.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Lease } from '../models/store/leases.ts';
import type { Logger } from '../platform/logger.ts';

const everyMs = 2_000;

/**
 * Adds created and moved rewards to the totals of every partner. One worker process does it at a
 * time, so that none does it in vain.
 */
export function startTotalsCounter(models: Models, lease: Lease, log: Pick<Logger, 'warn'>) {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        for (let partner = ''; !signal.aborted && (await lease.hold()); ) {
          const next = await nextUncounted(models, partner);
          if (next === undefined) break;
          await countRewards(models, next, () => signal.aborted);
          partner = next;
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'the totals of rewards could not be counted; retrying');
      }
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
    await lease.release().catch(() => undefined);
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}
