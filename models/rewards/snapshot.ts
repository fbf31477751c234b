import { isFunded, type RewardSnapshot } from '../../domain/reward.ts';
import { orderNameOf } from '../../domain/workflow-names.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** A reward in the form that its workflow uses. */
export function toSnapshot(doc: RewardDoc): RewardSnapshot {
  return {
    rewardId: doc._id,
    partnerId: doc.partnerId,
    integrationId: doc.integrationId,
    mode: doc.mode,
    externalOrderId: orderNameOf(doc),
    purchaseEventId: doc.purchaseEventId,
    points: doc.points,
    liabilityCents: doc.liabilityCents,
    customerId: doc.customerId,
    state: doc.state,
    claimExpiresAt: doc.claimExpiresAt.toISOString(),
    ...(doc.claimableFrom && { claimableFrom: doc.claimableFrom.toISOString() }),
    version: doc.version,
    review: doc.review,
    fundingNotice: doc.fundingNotice,
    fundedAt: isFunded(doc.state)
      ? (doc.moves
          .findLast(({ move }) => move === 'FUND' || move === 'CORRECT')
          ?.at.toISOString() ?? null)
      : null,
    correctedAt: doc.correction?.correctedAt ?? null,
    takenBackPoints: takenBackPoints(doc),
  };
}

function takenBackPoints({ review, moves, points }: RewardDoc): number | null {
  const decided = moves.findLast(({ reviewId }) => reviewId === review?.reviewId);
  if (review === null || decided === undefined) return null;
  if (decided.move === 'UPHOLD') return points;
  return decided.move === 'REDUCE' ? (decided.lost?.points ?? 0) : null;
}
