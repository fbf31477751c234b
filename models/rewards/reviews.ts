import type { ReviewDecision } from '../../domain/review.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc } from '../schemas/review.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { moveUntilDecided, readReward } from './move.ts';

/**
 * Writes an operator's decision: one conditional write, so that of two operators one wins. The mark says that
 * the reward is still to follow it.
 * @returns the review as it stands, decided by this or by another
 */
export async function writeDecision(
  models: Models,
  { _id, partnerId }: Pick<ReviewDoc, '_id' | 'partnerId'>,
  decision: ReviewDecision,
): Promise<ReviewDoc> {
  const decided = { status: 'DECIDED' as const, decision };
  const pendingSince = new Date(decision.decidedAt);
  const written = await models.reviews.collection.findOneAndUpdate(
    { partnerId, _id: _id as never, status: 'OPEN' },
    { $set: { ...decided, pendingSince } },
    { returnDocument: 'after' },
  );
  if (written) return written as unknown as ReviewDoc;
  return await models.reviews.findOne({ partnerId, _id }).lean().orFail();
}

/**
 * Says who looks after an open review; null for nobody.
 * @returns the review, or null where it is not open any more
 */
export async function assignOpenReview(
  { reviews }: Models,
  { _id, partnerId }: Pick<ReviewDoc, '_id' | 'partnerId'>,
  assigneeId: string | null,
): Promise<ReviewDoc | null> {
  const change = assigneeId === null ? { $unset: { assigneeId: '' } } : { $set: { assigneeId } };
  return await reviews
    .findOneAndUpdate({ partnerId, _id, status: 'OPEN' }, change, { returnDocument: 'after' })
    .lean();
}

/**
 * Moves the reward as its decided review says, and takes the review's mark away. Safe to repeat: the
 * reward is moved by the review that it is in, and once.
 * @returns the reward as it stands
 */
export async function followDecision(
  models: Models,
  { _id: reviewId, partnerId, rewardId, decision }: ReviewDoc,
): Promise<RewardDoc> {
  if (decision === null) throw new Error(`${reviewId} is not decided`);
  const { verdict, decidedAt } = decision;
  const reward = await moveUntilDecided(
    models,
    await readReward(models, { partnerId, _id: rewardId }),
    ({ status, review }) =>
      status === 'ADMIN_REVIEW' && review?.reviewId === reviewId
        ? { move: verdict, at: new Date(decidedAt), reviewId }
        : undefined,
  );
  await models.reviews.collection.updateOne(
    { partnerId, _id: reviewId as never },
    { $unset: { pendingSince: '' } },
  );
  return reward;
}

/** The decided review that a reward still waits in; null where none is. */
export async function decidedReviewOf(
  models: Models,
  { partnerId, status, review }: RewardDoc,
): Promise<ReviewDoc | null> {
  if (status !== 'ADMIN_REVIEW' || review === null) return null;
  return await models.reviews
    .findOne({ partnerId, _id: review.reviewId, status: 'DECIDED' })
    .lean();
}
