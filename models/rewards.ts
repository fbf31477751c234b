import type { RewardSnapshot } from '../domain/events.ts';
import { applyMove, type RewardMove } from '../domain/reward-states.ts';
import type { Models } from './schemas/index.ts';
import type { RewardDoc } from './schemas/reward.ts';

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
  Pick<RewardSnapshot, 'review' | 'claimExpiresAt'> & Pick<RewardDoc, 'cancellation'>
>;

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
  const { status, customerStatus, funded } = next;
  const written = await models.rewards
    .findOneAndUpdate(
      { partnerId, _id: rewardId, version },
      {
        $set: { status, customerStatus, funded, ...also, version: version + 1, updatedAt: at },
        $push: { moves: { move, at, status } },
      },
      { returnDocument: 'after' },
    )
    .lean();
  if (written) return toSnapshot(written);
  const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
  const last = stored.moves.at(-1);
  if (stored.version === version + 1 && last?.move === move) return toSnapshot(stored);
  throw new Error(`${rewardId} is at version ${stored.version}; ${move} expected ${version}`);
}
