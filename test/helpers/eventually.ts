import { setTimeout as delay } from 'node:timers/promises';

/** As long as the slowest machine takes: what is asserted is that it comes, and not when. */
const patienceMs = 300_000;
/** What takes long is asked for less often: hundreds of tests ask at the same time. */
const waitMs = { least: 20, most: 250, ofElapsed: 0.25 };

/**
 * Asks until the answer is not undefined.
 * @throws Error when there is none within five minutes
 */
export async function eventually<T>(
  look: () => Promise<T | undefined | null | false>,
  what: string,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > patienceMs) throw new Error(`never happened: ${what}`);
    await delay(Math.min(Math.max(elapsedMs * waitMs.ofElapsed, waitMs.least), waitMs.most));
  }
}
