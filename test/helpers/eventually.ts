import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is not undefined.
 * @throws Error when there is none within the patience
 */
export async function eventually<T>(
  look: () => Promise<T | undefined | null | false>,
  what: string,
  patienceMs = 60_000,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`never happened: ${what}`);
    await delay(50);
  }
}
