import type { RewardSnapshot } from '../domain/events.ts';
import {
  applyMove,
  type FundingMove,
  type RewardMove,
  type RewardStatus,
} from '../domain/reward-states.ts';
import type { Models } from './schemas/index.ts';
import type { RewardDoc } from './schemas/reward.ts';
import { rewardMoved } from './told.ts';

export function toSnapshot(doc: RewardDoc): RewardSnapshot {
  return {
    rewardId: doc._id,
    partnerId: doc.partnerId,
    integrationId: doc.integrationId,
    mode: doc.mode,
    externalOrderId: doc.externalOrderId,
    purchaseEventId: doc.purchaseEventId,
    points: doc.points,
    liabilityCents: doc.liabilityCents,
    customerKey: doc.customerKey,
    status: doc.status,
    customerStatus: doc.customerStatus,
    funded: doc.funded,
    claimExpiresAt: doc.claimExpiresAt.toISOString(),
    version: doc.version,
    review: doc.review,
  };
}

/** What a move may change beside the state. */
export type AlsoChanged = Partial<
  Pick<RewardSnapshot, 'review' | 'claimExpiresAt'> & Pick<RewardDoc, 'cancellation' | 'unfinished'>
>;

/** The first move of a reward: whether its money is there. */
export interface FirstMove {
  stored: RewardDoc;
  move: FundingMove;
  /** ISO 8601, when it happened. */
  at: string;
}

/**
 * Writes the first moves of several rewards in one go, each from exactly the version that was read. A
 * repeat finds its own writes and changes nothing.
 * @returns the rewards after it, in their order
 */
export async function makeFirstMoves(
  models: Models,
  moves: readonly FirstMove[],
): Promise<RewardSnapshot[]> {
  if (moves.length === 0) return [];
  const { matchedCount } = await models.rewards.collection.bulkWrite(
    moves.map(({ stored, move, at }) => ({
      updateOne: writeOf(toSnapshot(stored), move, at, {}),
    })) as never[],
    { ordered: false },
  );
  if (matchedCount < moves.length) {
    // An attempt before this one moved some of them.
    return await Promise.all(
      moves.map(({ stored, move, at }) => moveReward(models, toSnapshot(stored), move, at)),
    );
  }
  return moves.map(({ stored, move, at }) => {
    tellMoved(stored, stored.status, move, at);
    const before = toSnapshot(stored);
    return { ...before, ...applyMove(before, move), version: before.version + 1 };
  });
}

function tellMoved(
  { mode, createdAt }: RewardDoc,
  from: RewardStatus,
  move: RewardMove,
  at: string,
): void {
  const isFirstFunding = move === 'FUND' && from === 'PENDING';
  const firstFundedAfterMs = isFirstFunding ? Date.parse(at) - createdAt.getTime() : null;
  rewardMoved.tell({ mode, move, firstFundedAfterMs });
}

function writeOf(reward: RewardSnapshot, move: RewardMove, at: string, also: AlsoChanged) {
  const { partnerId, rewardId, version } = reward;
  const { status, customerStatus, funded } = applyMove(reward, move);
  const { claimExpiresAt, ...others } = also;
  const changed = {
    ...others,
    ...(claimExpiresAt !== undefined && { claimExpiresAt: new Date(claimExpiresAt) }),
  };
  const when = new Date(at);
  return {
    filter: { partnerId, _id: rewardId, version },
    update: {
      $set: { status, customerStatus, funded, ...changed, version: version + 1, updatedAt: when },
      $push: { moves: { move, at: when, status } },
    },
  };
}

/**
 * Writes one move of the state table, from exactly the version the caller holds (domain, Storage,
 * "one writer"). A repeat finds its own write and changes nothing; a move that leaves the reward as
 * it is writes nothing.
 * @param at ISO 8601, when the move happened
 * @throws IllegalMoveError for a move that is not in the table
 * @throws Error when the stored reward is neither the caller's version nor this very move
 */
export async function moveReward(
  models: Models,
  reward: RewardSnapshot,
  move: RewardMove,
  at: string,
  also: AlsoChanged = {},
): Promise<RewardSnapshot> {
  const next = applyMove(reward, move);
  if (next.status === reward.status && next.funded === reward.funded) return reward;
  const { partnerId, rewardId, version } = reward;
  const { filter, update } = writeOf(reward, move, at, also);
  const written = await models.rewards
    .findOneAndUpdate(filter, update, { returnDocument: 'after' })
    .lean();
  if (written) {
    tellMoved(written, reward.status, move, at);
    return toSnapshot(written);
  }
  const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
  const last = stored.moves.at(-1);
  if (stored.version === version + 1 && last?.move === move) return toSnapshot(stored);
  throw new Error(`${rewardId} is at version ${stored.version}; ${move} expected ${version}`);
}

/** Notes that all which a reward's newest move brings about is done. */
export async function finishMove(
  models: Models,
  { partnerId, rewardId, version }: RewardSnapshot,
): Promise<void> {
  await models.rewards.updateOne(
    { partnerId, _id: rewardId, version },
    { $unset: { unfinished: 1 } },
  );
}
