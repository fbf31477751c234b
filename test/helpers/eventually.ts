import { setTimeout as delay } from 'node:timers/promises';

/** As long as the slowest machine takes: what is asserted is that it comes, and not when. */
const patienceMs = 300_000;

/**
 * Asks until the answer is not undefined.
 * @throws Error when there is none within five minutes
 */
export async function eventually<T>(
  look: () => Promise<T | undefined | null | false>,
  what: string,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`never happened: ${what}`);
    await delay(50);
  }
}
