import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 250;
/** On a busy machine; a workflow's next attempt comes after a minute. */
const patienceMs = 180_000;

/**
 * Waits until it is so.
 * @returns what was found
 * @throws Error after the patience is over, with the last failure
 */
export async function eventually<T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> {
  const until = Date.now() + patienceMs;
  let last = '';
  while (Date.now() < until) {
    try {
      const found = await look();
      if (found) return found as NonNullable<T>;
    } catch (error) {
      last = error instanceof Error ? `: ${error.message}` : '';
    }
    await delay(pauseMs);
  }
  throw new Error(`Not within ${patienceMs / 1000} s: ${what}${last}`);
}
