import { refundAnswer } from '../../domain/answers.ts';
import type { DecidedRefund } from '../rewards/refund.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** The response to an event; null for a refund that is not decided yet. */
export function answerOf(event: OrderEventDoc, reward: RewardDoc | null): string | null {
  if (event.answer !== null) return event.answer;
  const made = reward?.moves.find(({ refundEventId }) => refundEventId === event._id);
  return reward && made ? answerOfRefund(event, { reward, made }) : null;
}

/** The fields of a refund's event that its response is made from. */
export type RefundEvent = Pick<
  OrderEventDoc,
  '_id' | 'mode' | 'externalOrderId' | 'externalRefundId'
>;

/**
 * The response to a decided refund, as JSON. It is made only from the refund's event and the reward's move for
 * it, neither of which changes, so it is always the same.
 */
export function answerOfRefund(event: RefundEvent, { reward, made }: DecidedRefund): string {
  const { _id: rewardId, points } = reward;
  const { status } = made;
  const recorded = { ...event, eventId: event._id };
  return JSON.stringify(
    refundAnswer(recorded, event.externalRefundId ?? '', { rewardId, points, status }),
  );
}
