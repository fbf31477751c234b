import { type BatchJob, createBatcher } from '../../platform/batcher.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** Maximum number of rewards updated by one command. */
const maxBatch = 100;

export type MarkCarriedOut = (reward: RewardDoc) => Promise<RewardDoc | null>;

type UpdateJob = BatchJob<{ change: RewardChange }, RewardDoc | null>;

/** The update of a reward, and the reward after it. */
interface RewardChange {
  filter: Pick<RewardDoc, '_id' | 'partnerId' | 'version'>;
  update: object;
  after: RewardDoc;
}

/**
 * Records that all moves of a reward are carried out and clears its pending mark, if it still has the
 * version that was carried out. A reward in review stays pending until the review is open, because only
 * its workflow can open it.
 *
 * Rewards that are ready at the same time share one command, which only returns how many it matched: if one
 * was moved in the meantime, all of them are read again, and the updated ones turn out to be done.
 * @returns the reward after it; null if it must be read again
 */
export function createMarkCarriedOut(models: Models): MarkCarriedOut {
  const write = createBatcher<{ change: RewardChange }, RewardDoc | null>(
    { maxBatch },
    (_all, jobs) => writeAll(models, jobs),
  );
  return async (reward) => {
    const change = await updateOf(models, reward);
    return change === undefined ? reward : await write('all', { change });
  };
}

/** @returns undefined if there is nothing to update */
async function updateOf(models: Models, reward: RewardDoc): Promise<RewardChange | undefined> {
  const { _id, partnerId, version, carriedOut, pendingSince, status } = reward;
  const isOpening = status === 'ADMIN_REVIEW' && !(await isReviewOpen(models, reward));
  const clears = pendingSince !== undefined && !isOpening;
  if (carriedOut === version && !clears) return undefined;
  const { pendingSince: _mark, ...unmarked } = reward;
  return {
    filter: { partnerId, _id, version },
    update: { $set: { carriedOut: version }, ...(clears && { $unset: { pendingSince: '' } }) },
    after: { ...(clears ? unmarked : reward), carriedOut: version },
  };
}

async function writeAll({ rewards }: Models, jobs: readonly UpdateJob[]): Promise<void> {
  const { matchedCount } = await rewards.collection.bulkWrite(
    jobs.map(({ change: { filter, update } }) => ({ updateOne: { filter, update } })),
    { ordered: false },
  );
  const areAllUpdated = matchedCount === jobs.length;
  for (const { change, resolve } of jobs) resolve(areAllUpdated ? change.after : null);
}

async function isReviewOpen(
  models: Models,
  { partnerId, review, pendingSince }: RewardDoc,
): Promise<boolean> {
  if (pendingSince === undefined || review === null) return false;
  return (await models.reviews.exists({ partnerId, _id: review.reviewId })) !== null;
}

/** Clears the pending mark of a reward whose review is open now. */
export async function markReviewOpened(
  models: Models,
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
  reviewId: string,
): Promise<void> {
  await models.rewards.collection.updateOne(
    {
      partnerId,
      _id: rewardId,
      status: 'ADMIN_REVIEW',
      'review.reviewId': reviewId,
      $expr: { $eq: ['$carriedOut', '$version'] },
    },
    { $unset: { pendingSince: '' } },
  );
}
