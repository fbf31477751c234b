import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import { openAll } from '../store/data-keys.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findReview(models: Models, reviewId: string): Promise<ReviewDoc> {
  return requireFound(await models.reviews.findById(reviewId), 'review', reviewId);
}

/** The reasons of reviews' decisions, in order; null without a decision, or if the customer was erased. */
export async function reasonsOf(
  deps: { models: Models; sealer: Sealer },
  reviews: readonly ReviewDoc[],
): Promise<(string | null)[]> {
  const sealed = reviews.flatMap(({ _id: context, partnerId, decision }) =>
    decision ? [{ partnerId, sealed: decision.sealedReason, context }] : [],
  );
  const opened = await openAll(deps, sealed);
  const reasonBy = new Map(sealed.map(({ context }, place) => [context, opened[place] ?? null]));
  return reviews.map(({ _id }) => reasonBy.get(_id) ?? null);
}
