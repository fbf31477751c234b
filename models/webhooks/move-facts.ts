import { applyMove, unfinishedMoves } from '../../domain/reward-states.ts';
import type { WebhookFact } from '../../domain/webhooks.ts';
import { reviewIdOf } from '../../platform/ids.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/**
 * The facts that a reward's moves announce to its partner, in the order of the moves. A move that changes
 * no status announces nothing. A review that cancels the reward announces two facts with the same
 * sequence number.
 * @param from the number of moves to skip, from the first on
 */
export function factsOfMoves(reward: RewardDoc, from: number): WebhookFact[] {
  const { _id: rewardId, partnerId, mode } = reward;
  return unfinishedMoves({ ...reward, carriedOut: from }).flatMap(
    ({ made, from: before }, place) => {
      const { status, customerStatus } = applyMove(before, made.move);
      if (status === before.status && made.move !== 'FUND') return [];
      const sequence = from + place + 1;
      const base = {
        partnerId,
        mode,
        at: made.at,
        rewardId,
        sequence,
        fact: `${rewardId} ${sequence}`,
      };
      const data = {
        rewardId,
        externalOrderId: reward.externalOrderId,
        purchaseEventId: reward.purchaseEventId,
        integrationId: reward.integrationId,
        status,
        customerStatus,
        points: reward.points,
        liabilityCents: reward.liabilityCents,
        currency: reward.currency,
      };
      const cancelled = (by: 'REFUND' | 'OPERATOR' | 'REVIEW'): WebhookFact => ({
        ...base,
        type: 'reward.cancelled',
        data: { ...data, cancelledBy: by },
      });
      const decided = (verdict: 'UPHOLD' | 'DISMISS'): WebhookFact => ({
        ...base,
        type: 'review.decided',
        data: { ...data, reviewId: made.reviewId ?? null, verdict },
      });
      switch (made.move) {
        case 'FUND': {
          const claimExpiresAt = reward.claimExpiresAt.toISOString();
          return [{ ...base, type: 'reward.funded', data: { ...data, claimExpiresAt } }];
        }
        case 'RUN_SHORT':
          return [{ ...base, type: 'reward.awaiting_funding', data }];
        case 'CLAIM':
          return [{ ...base, type: 'reward.claimed', data }];
        case 'EXPIRE':
          return [{ ...base, type: 'reward.expired', data }];
        case 'CANCEL':
          return [cancelled('OPERATOR')];
        case 'REFUND': {
          if (status !== 'ADMIN_REVIEW') return [cancelled('REFUND')];
          const reviewId = reviewIdOf(made.refundEventId ?? '');
          return [{ ...base, type: 'review.opened', data: { ...data, reviewId } }];
        }
        case 'UPHOLD':
          return [decided('UPHOLD'), cancelled('REVIEW')];
        default:
          return [decided('DISMISS')];
      }
    },
  );
}
