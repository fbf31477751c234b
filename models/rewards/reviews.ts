import type { ReviewDecision } from '../../domain/review.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { moveUntilDecided, readReward } from './move.ts';

/**
 * Stores an operator's decision in one conditional write, so that of two operators one wins. It
 * marks the review as pending until the reward has followed it.
 * @returns the review as stored, decided by this operator or another
 */
export async function writeDecision(
  models: Models,
  { _id, partnerId }: Pick<ReviewDoc, '_id' | 'partnerId'>,
  decision: ReviewDecision,
): Promise<ReviewDoc> {
  const decided = { status: 'DECIDED' as const, decision };
  const pendingSince = new Date(decision.decidedAt);
  const written = await models.reviews.collection.findOneAndUpdate(
    { partnerId, _id: _id, status: 'OPEN' },
    { $set: { ...decided, pendingSince } },
    { returnDocument: 'after' },
  );
  if (written) return written;
  return await models.reviews.findOne({ partnerId, _id }).orFail();
}

/**
 * Assigns an open review to an operator, or to nobody with null.
 * @returns the review, or null if it is no longer open
 */
export async function assignOpenReview(
  { reviews }: Models,
  { _id, partnerId }: Pick<ReviewDoc, '_id' | 'partnerId'>,
  assigneeId: string | null,
): Promise<ReviewDoc | null> {
  const change = assigneeId === null ? { $unset: { assigneeId: '' } } : { $set: { assigneeId } };
  return await reviews.findOneAndUpdate({ partnerId, _id, status: 'OPEN' }, change, {
    returnDocument: 'after',
  });
}

/**
 * Moves the reward according to its decided review, and clears the review's pending mark. Safe to
 * repeat: a review moves its reward once, and only while the reward is in it.
 * @returns the reward as stored
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
    { partnerId, _id: reviewId },
    { $unset: { pendingSince: '' } },
  );
  return reward;
}

/** The decided review that a reward has not followed yet; null if there is none. */
export async function decidedReviewOf(
  models: Models,
  { partnerId, status, review }: RewardDoc,
): Promise<ReviewDoc | null> {
  if (status !== 'ADMIN_REVIEW' || review === null) return null;
  return await models.reviews.findOne({ partnerId, _id: review.reviewId, status: 'DECIDED' });
}
