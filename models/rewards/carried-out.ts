import { type BatchJob, createBatcher } from '../../platform/batcher.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** The most rewards that one command updates. */
const maxBatch = 100;

export type NoteCarriedOut = (reward: RewardDoc) => Promise<RewardDoc | null>;

type NoteJob = BatchJob<{ note: Note }, RewardDoc | null>;

/** The update of a reward, and the reward after it. */
interface Note {
  filter: Pick<RewardDoc, '_id' | 'partnerId' | 'version'>;
  update: object;
  after: RewardDoc;
}

/**
 * Notes that all which a reward's moves ask for is done, and takes its mark away: from exactly the
 * version that was carried out. A reward in review keeps its mark until the review is before the operators,
 * since only its workflow can put it there.
 *
 * Rewards that are ready at the same time share one command. It only says how many it matched: if one was moved
 * in the meantime, all of them are read again, and those that were updated turn out to be done.
 * @returns the reward after it; null if it has to be read again
 */
export function createNoteCarriedOut(models: Models): NoteCarriedOut {
  const write = createBatcher<{ note: Note }, RewardDoc | null>({ maxBatch }, (_all, jobs) =>
    writeAll(models, jobs),
  );
  return async (reward) => {
    const note = await noteOf(models, reward);
    return note === undefined ? reward : await write('all', { note });
  };
}

/** @returns undefined if there is nothing to update */
async function noteOf(models: Models, reward: RewardDoc): Promise<Note | undefined> {
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

async function writeAll({ rewards }: Models, jobs: readonly NoteJob[]): Promise<void> {
  const { matchedCount } = await rewards.collection.bulkWrite(
    jobs.map(({ note: { filter, update } }) => ({ updateOne: { filter, update } })) as never[],
    { ordered: false },
  );
  const isNoted = matchedCount === jobs.length;
  for (const { note, resolve } of jobs) resolve(isNoted ? note.after : null);
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
