import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { registerSearchAttributes } from '../temporal/connection.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { ensureSchedules, hasSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';

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
  const { address, namespace, retentionDays, taskQueue } = temporal;
  const stopping = new AbortController();
  const { signal } = stopping;

  const asking = <T>(ask: () => Promise<T>): Promise<T> =>
    client.withAbortSignal(signal, () => client.withDeadline(Date.now() + patienceMs, ask));

  async function look(): Promise<void> {
    if (await asking(() => hasSchedules(client, taskQueue))) return;
    log.warn('Temporal lacks our schedules: it is new or has lost its data; setting it up');
    const security = readSecurity(temporal);
    await ensureNamespace({ address, namespace }, retentionDays, security);
    await registerSearchAttributes(address, namespace, security);
    await asking(() => ensureSchedules(client, taskQueue));
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'the schedules cannot be read; retrying');
      });
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}
