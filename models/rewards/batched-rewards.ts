import type { PurchaseRef } from '../../domain/purchase.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import { type BatchJob, type BatchOptions, createBatcher } from '../../platform/batcher.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import {
  type AskedMove,
  type MoveReward,
  measureMove,
  moveReward,
  readReward,
  writeOf,
} from './move.ts';

/** The most rewards that are read or moved in one command. */
const maxBatch = 100;

interface Wish {
  reward: RewardDoc;
  asked: AskedMove;
}

type MoveJob = BatchJob<Wish, RewardDoc | null>;

export type RewardsTogether = ReturnType<typeof createRewardsTogether>;

/**
 * Reads and moves rewards, those that are asked for at the same time by one command: for a process that
 * answers many at once, where a command for each costs more than all the rest of an answer.
 * @param readOptions how reads are batched
 */
export function createRewardsTogether(models: Models, readOptions: BatchOptions = { maxBatch }) {
  const find = createBatchedReads<PurchaseRef, RewardDoc | null>(readOptions, (asked) =>
    findAll(models, asked),
  );
  const move = createBatcher<Wish, RewardDoc | null>({ maxBatch }, (_key, jobs) =>
    moveAll(models, jobs),
  );
  return {
    /** The reward of a purchase, as a majority has it; null where its workflow has not begun. */
    find: (purchase: PurchaseRef) => find('all', purchase),
    /** As `moveReward` does it. */
    move: ((reward, asked) => move('all', { reward, asked })) satisfies MoveReward as MoveReward,
  };
}

async function findAll(
  models: Models,
  asked: readonly PurchaseRef[],
): Promise<(RewardDoc | null)[]> {
  const partnerIds = [...new Set(asked.map(({ partnerId }) => partnerId))];
  const ids = asked.map(({ purchaseEventId }) => purchaseEventId);
  const found = await models.rewards.collection
    .find<RewardDoc>(
      { partnerId: { $in: partnerIds }, purchaseEventId: { $in: ids } },
      { readConcern: { level: 'majority' } },
    )
    .toArray();
  const byPurchase = new Map(found.map((reward) => [reward.purchaseEventId, reward]));
  return ids.map((id) => byPurchase.get(id) ?? null);
}

/** Writes the first move of each reward; who asked for one more decides again. */
async function moveAll(models: Models, jobs: readonly MoveJob[]): Promise<void> {
  const [alone] = jobs;
  if (alone && jobs.length === 1) {
    alone.resolve(await moveReward(models, alone.reward, alone.asked));
    return;
  }
  const firsts = new Map<string, MoveJob>();
  for (const job of jobs) {
    if (!firsts.has(job.reward._id)) firsts.set(job.reward._id, job);
  }
  const moves = [...firsts.values()].map((job) => ({ job, ...writeOf(job.reward, job.asked) }));
  const { matchedCount } = await models.rewards.collection.bulkWrite(
    moves.map(({ filter, update }) => ({ updateOne: { filter, update } })) as never[],
    { ordered: false },
  );
  for (const { job, after } of moves) {
    const isMade = matchedCount === moves.length || (await isStored(models, after));
    if (isMade) measureMove(job.reward, job.asked);
    job.resolve(isMade ? after : null);
  }
  for (const job of jobs) job.resolve(null);
}

/** Whether it was this move that was written, and not somebody else's: asked where one was not. */
async function isStored(models: Models, after: RewardDoc): Promise<boolean> {
  const { moves } = await readReward(models, after);
  const [made, wanted] = [moves[after.version - 1], after.moves.at(-1)];
  return (
    made?.move === wanted?.move &&
    made?.at.getTime() === wanted?.at.getTime() &&
    made?.refundEventId === wanted?.refundEventId
  );
}
