import { type Answer, type Earlier, refusals } from '../domain/answers.ts';
import { ServiceError } from '../domain/errors.ts';
import { isDuplicateKey } from '../models/store/insert-once.ts';

/** The most times that a request is decided again because a unique index refused it. */
const maxRaces = 10;

/**
 * Answers a request once, however often it is sent (docs/integrate/idempotency.md, Idempotency): from the stored
 * response or, if it is new, by a decision that is written with its response. Unique indexes decide between
 * concurrent requests: the loser looks again, and finds the winner's response.
 * @param look reads what earlier requests mean for this one
 * @param decide decides and writes; called again after a lost race, on what `look` finds then
 * @throws what `decide` throws, unless that was because the same request was faster
 */
export async function answerOnce<Found extends Earlier>(
  look: () => Promise<Found>,
  decide: (found: Found) => Promise<Answer>,
): Promise<Answer> {
  for (let race = 0; ; race++) {
    const found = await look();
    const { byKey, taken } = found;
    if (byKey) return byKey.isSame ? byKey.answer : refusals.conflict();
    if (taken) return taken;
    try {
      return await decide(found);
    } catch (error) {
      // The same request may have taken a moment ago what this one is refused for: the points, or the order.
      const mayBeAnswered = isDuplicateKey(error) || (error instanceof ServiceError && race === 0);
      if (!mayBeAnswered || race === maxRaces) throw error;
    }
  }
}
