import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';

export interface PeriodicTaskOptions {
  /** The pause after each run, in milliseconds. */
  everyMs: number;
  /** Logged as a warning when a run fails; the next run tries again. */
  failure: string;
  log: Pick<Logger, 'warn'>;
}

/**
 * Runs a task over and over, with a pause after each run, until it is stopped.
 * @param task gets the signal that it is to stop
 * @returns `stop`, which ends the pause and waits for a run that has begun
 */
export function startPeriodicTask(
  task: (signal: AbortSignal) => Promise<void>,
  { everyMs, failure, log }: PeriodicTaskOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await task(signal);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, failure);
      }
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
