import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/**
 * Notes that all which a reward's moves ask for is done, and takes its mark away: from exactly the
 * version that was carried out. A reward in review keeps its mark until the review is before the operators,
 * since only its workflow can put it there.
 * @returns the reward after it; null where it was moved meanwhile
 */
export async function noteCarriedOut(models: Models, reward: RewardDoc): Promise<RewardDoc | null> {
  const { _id, partnerId, version, carriedOut, pendingSince, status } = reward;
  const isOpening = status === 'ADMIN_REVIEW' && !(await isReviewOpen(models, reward));
  const clears = pendingSince !== undefined && !isOpening;
  if (carriedOut === version && !clears) return reward;
  const { matchedCount } = await models.rewards.collection.updateOne(
    { partnerId, _id: _id as never, version },
    { $set: { carriedOut: version }, ...(clears && { $unset: { pendingSince: '' } }) },
  );
  if (matchedCount === 0) return null;
  const { pendingSince: _mark, ...unmarked } = reward;
  return { ...(clears ? unmarked : reward), carriedOut: version };
}

async function isReviewOpen(
  models: Models,
  { partnerId, review, pendingSince }: RewardDoc,
): Promise<boolean> {
  if (pendingSince === undefined || review === null) return false;
  return (await models.reviews.exists({ partnerId, _id: review.reviewId })) !== null;
}

/** Takes the mark of a reward away whose review is before the operators now. */
export async function noteReviewOpened(
  models: Models,
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
  reviewId: string,
): Promise<void> {
  await models.rewards.collection.updateOne(
    {
      partnerId,
      _id: rewardId as never,
      status: 'ADMIN_REVIEW',
      'review.reviewId': reviewId,
      $expr: { $eq: ['$carriedOut', '$version'] },
    },
    { $unset: { pendingSince: '' } },
  );
}
