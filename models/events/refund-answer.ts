import { refundAnswer } from '../../domain/answers.ts';
import type { DecidedRefund } from '../rewards/refund.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** What a partner is answered about an event; null for a refund that is yet to be decided. */
export function answerOf(event: OrderEventDoc, reward: RewardDoc | null): string | null {
  if (event.answer !== null) return event.answer;
  const made = reward?.moves.find(({ refundEventId }) => refundEventId === event._id);
  return reward && made ? answerOfRefund(event, { reward, made }) : null;
}

/** What of a refund's event its answer is made from. */
export type RefundEvent = Pick<
  OrderEventDoc,
  '_id' | 'mode' | 'externalOrderId' | 'externalRefundId'
>;

/**
 * The answer to a decided refund, JSON: made from its event and from what the reward says of it, so that
 * it is the same whenever it is made.
 */
export function answerOfRefund(event: RefundEvent, { reward, made }: DecidedRefund): string {
  const { _id: rewardId, points } = reward;
  const { status } = made;
  const recorded = { ...event, eventId: event._id };
  return JSON.stringify(
    refundAnswer(recorded, event.externalRefundId ?? '', { rewardId, points, status }),
  );
}
