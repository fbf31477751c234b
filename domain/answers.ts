import type { Mode, RewardSnapshot } from './events.ts';
import { initialState, refundStatusOf } from './reward-states.ts';

/** What both answers say of the event. */
interface Recorded {
  mode: Mode;
  eventId: string;
  externalOrderId: string;
}

/**
 * The answer to a purchase (specification, Purchase response). The reward is as it is created: funding
 * is decided after the answer.
 * @param reward.claimExpiresAt ISO 8601
 */
export function purchaseAnswer(
  { mode, eventId, externalOrderId }: Recorded,
  reward: { rewardId: string; points: number; claimExpiresAt: string },
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    reward: {
      id: reward.rewardId,
      points: reward.points,
      status: initialState.status,
      customerStatus: initialState.customerStatus,
      claimExpiresAt: reward.claimExpiresAt,
    },
  };
}

/**
 * The answer to a refund (specification, Refund response).
 * @param after the reward as the refund leaves it
 */
export function refundAnswer(
  { mode, eventId, externalOrderId }: Recorded,
  externalRefundId: string,
  after: RewardSnapshot,
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    refund: { externalRefundId, status: refundStatusOf(after) },
    reward: { id: after.rewardId, points: after.points, status: after.status },
  };
}
