import type { RewardSnapshot } from '../domain/events.ts';
import { applyMove, type RewardMove } from '../domain/reward-states.ts';
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
export type AlsoChanged = Partial<Pick<RewardSnapshot, 'review' | 'claimExpiresAt'>>;

/** One move of one reward. */
export interface Move {
  reward: RewardSnapshot;
  move: RewardMove;
  /** ISO 8601, when it happened. */
  at: string;
}

/**
 * Writes one move each of several rewards, in one go, each from exactly the version that is held. A
 * repeat finds its own writes and changes nothing.
 * @returns the rewards after it, in their order
 */
export async function moveRewards(
  models: Models,
  moves: readonly Move[],
): Promise<RewardSnapshot[]> {
  if (moves.length === 0) return [];
  const { matchedCount } = await models.rewards.collection.bulkWrite(
    moves.map(({ reward, move, at }) => ({ updateOne: writeOf(reward, move, at, {}) })) as never[],
    { ordered: false },
  );
  if (matchedCount < moves.length) {
    // An attempt before this one moved some of them.
    return await Promise.all(
      moves.map(({ reward, move, at }) => moveReward(models, reward, move, at)),
    );
  }
  return moves.map(({ reward, move }) => ({
    ...reward,
    ...applyMove(reward, move),
    version: reward.version + 1,
  }));
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
    const isFirstFunding = move === 'FUND' && reward.status === 'PENDING';
    const firstFundedAfterMs = isFirstFunding ? Date.parse(at) - +written.createdAt : null;
    rewardMoved.tell({ mode: written.mode, move, firstFundedAfterMs });
    return toSnapshot(written);
  }
  const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
  const last = stored.moves.at(-1);
  if (stored.version === version + 1 && last?.move === move) return toSnapshot(stored);
  throw new Error(`${rewardId} is at version ${stored.version}; ${move} expected ${version}`);
}
