import type { Client } from '@temporalio/client';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { registerSearchAttributes } from '../temporal/connection.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { ensureSchedules, hasSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';
import { startPeriodicTask } from './periodic-task.ts';

const periodMs = 15_000;
const patienceMs = 10_000;

/**
 * Sets up Temporal again, as `migrate` does, whenever our schedules are missing: it is new, or has
 * lost its data and with it the namespace and the schedule that would find what else was lost. So
 * it recovers without anybody's intervention.
 * @param everyMs how often it checks
 */
export function watchSchedules(
  client: Client,
  temporal: Config['temporal'],
  log: Pick<Logger, 'warn'>,
  everyMs = periodMs,
) {
  const { address, namespace, taskQueue } = temporal;

  async function setUpIfMissing(signal: AbortSignal): Promise<void> {
    const asking = <T>(ask: () => Promise<T>): Promise<T> =>
      client.withAbortSignal(signal, () => client.withDeadline(Date.now() + patienceMs, ask));

    if (await asking(() => hasSchedules(client, taskQueue))) return;
    log.warn('Temporal lacks our schedules: it is new or has lost its data; setting it up');
    const security = readSecurity(temporal);
    await ensureNamespace({ address, namespace }, security);
    await registerSearchAttributes(address, namespace, security);
    await asking(() => ensureSchedules(client, taskQueue));
  }

  return startPeriodicTask(
    async (signal) => {
      await setUpIfMissing(signal).catch((error: unknown) => {
        // A call that was aborted by `stop` is not a failure.
        if (!signal.aborted) throw error;
      });
    },
    { everyMs, failure: 'the schedules cannot be read; retrying', log },
  );
}
