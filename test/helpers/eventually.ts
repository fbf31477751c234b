import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for the slowest machine: tests assert that something happens, not when. Half of what a test may take. */
const timeoutMs = 300_000;
/** The pause grows with the elapsed time, because hundreds of tests poll at the same time. */
const pauseMs = { least: 20, most: 250, ofElapsed: 0.25 };

/**
 * Polls until the result is truthy.
 * @param what a clause for the error, such as "the reward is funded"
 * @throws Error after five minutes
 */
export async function eventually<T>(
  poll: () => Promise<T | undefined | null | false>,
  what: string,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const found = await poll();
    if (found) return found;
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > timeoutMs) throw new Error(`This did not happen within five minutes: ${what}`);
    await delay(Math.min(Math.max(elapsedMs * pauseMs.ofElapsed, pauseMs.least), pauseMs.most));
  }
}
