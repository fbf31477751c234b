import type { PurchaseRef } from '../../domain/purchase.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import { type BatchJob, type BatchOptions, createBatcher } from '../../platform/batcher.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import {
  type MoveReward,
  measureMove,
  moveReward,
  type RequestedMove,
  readReward,
  writeOf,
} from './move.ts';

/** Maximum number of rewards read or moved by one command. */
const maxBatch = 100;

interface MoveRequest {
  reward: RewardDoc;
  request: RequestedMove;
}

type MoveJob = BatchJob<MoveRequest, RewardDoc | null>;

export type BatchedRewards = ReturnType<typeof createBatchedRewards>;

/**
 * Reads and moves rewards in batches: requests that are made at the same time share a command. For
 * processes with many requests at a time, where a command for each would cost more than the rest.
 * @param readOptions how reads are batched
 */
export function createBatchedRewards(models: Models, readOptions: BatchOptions = { maxBatch }) {
  const find = createBatchedReads<PurchaseRef, RewardDoc | null>(readOptions, (purchases) =>
    findAll(models, purchases),
  );
  const move = createBatcher<MoveRequest, RewardDoc | null>({ maxBatch }, (_key, jobs) =>
    moveAll(models, jobs),
  );
  return {
    /** The reward of a purchase, read with majority; null if its workflow has not created it yet. */
    find: (purchase: PurchaseRef) => find('all', purchase),
    /** Like `moveReward`. */
    move: ((reward, request) =>
      move('all', { reward, request })) satisfies MoveReward as MoveReward,
  };
}

async function findAll(
  models: Models,
  purchases: readonly PurchaseRef[],
): Promise<(RewardDoc | null)[]> {
  const partnerIds = [...new Set(purchases.map(({ partnerId }) => partnerId))];
  const ids = purchases.map(({ purchaseEventId }) => purchaseEventId);
  const found = await models.rewards.collection
    .find(
      { partnerId: { $in: partnerIds }, purchaseEventId: { $in: ids } },
      { readConcern: { level: 'majority' } },
    )
    .toArray();
  const byPurchase = new Map(found.map((reward) => [reward.purchaseEventId, reward]));
  return ids.map((id) => byPurchase.get(id) ?? null);
}

/** Writes the first move of each reward; callers with another move of it must decide again. */
async function moveAll(models: Models, jobs: readonly MoveJob[]): Promise<void> {
  const [alone] = jobs;
  if (alone && jobs.length === 1) {
    alone.resolve(await moveReward(models, alone.reward, alone.request));
    return;
  }
  const firsts = new Map<string, MoveJob>();
  for (const job of jobs) {
    if (!firsts.has(job.reward._id)) firsts.set(job.reward._id, job);
  }
  const moves = [...firsts.values()].map((job) => ({ job, ...writeOf(job.reward, job.request) }));
  const { matchedCount } = await models.rewards.collection.bulkWrite(
    moves.map(({ filter, update }) => ({ updateOne: { filter, update } })),
    { ordered: false },
  );
  for (const { job, after } of moves) {
    const isMade = matchedCount === moves.length || (await isStored(models, after));
    if (isMade) measureMove(job.reward, job.request);
    job.resolve(isMade ? after : null);
  }
  for (const job of jobs) job.resolve(null);
}

/** Whether this move was written, rather than another one; only checked if some were not. */
async function isStored(models: Models, after: RewardDoc): Promise<boolean> {
  const { moves } = await readReward(models, after);
  const [made, wanted] = [moves[after.version - 1], after.moves.at(-1)];
  return (
    made?.move === wanted?.move &&
    made?.at.getTime() === wanted?.at.getTime() &&
    made?.refundEventId === wanted?.refundEventId
  );
}
