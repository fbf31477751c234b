import type { ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { interrupted } from './faults.ts';
import { places } from './places.ts';

/** Two actions that race, and what holds after both, in whichever order they ran. */
export interface Race<T> {
  act(): Promise<T>;
  meanwhile(): Promise<T>;
  /** @param where for messages */
  holds(answers: [T, T], where: string): Promise<void>;
}

/** With all races of a run on one machine, each place can take long. */
const placeMs = 300_000;

/** A commit that was overtaken tries again for eight seconds. More races at once could delay it for longer. */
const inTurn = pLimit(6);

/**
 * Runs one action in the middle of another: before its first database operation, between any two of them, and after the
 * last.
 * @param arrange what they act on, anew for each place
 */
export const raceAtEveryOperation = <T>(
  t: ExecutionContext,
  arrange: () => Promise<Race<T>>,
): Promise<void> => inTurn(() => raceInTurn(t, arrange));

async function raceInTurn<T>(t: ExecutionContext, arrange: () => Promise<Race<T>>): Promise<void> {
  for (const place of places()) {
    // Starts the time limit anew.
    t.timeout(placeMs);
    const { act, meanwhile, holds } = await arrange();
    let other: Promise<T> | undefined;
    const happen = () => {
      other = meanwhile();
      return other;
    };
    const { result, hasHappened } = await interrupted(place, act, happen);
    await holds([result, await (other ?? happen())], `before operation ${place + 1}`);
    if (!hasHappened) {
      t.true(place > 1, 'the action has several database operations');
      return;
    }
  }
}
