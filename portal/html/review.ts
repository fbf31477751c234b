import type { ReviewReason } from '../../domain/review-reasons.ts';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import { say } from '../words/say.ts';
import { badge } from './components.ts';
import { away } from './format.ts';
import type { Html } from './html.ts';

export const reasonWords = (): Record<ReviewReason, string> => ({
  GOODS_RETURNED: say('review.reason.goodsReturned'),
  ORDER_CANCELLED: say('review.reason.orderCancelled'),
  PAYMENT_REVERSED: say('review.reason.paymentReversed'),
  FRAUD: say('review.reason.fraud'),
  REFUND_IN_ERROR: say('review.reason.refundInError'),
  PARTIAL_REFUND: say('review.reason.partialRefund'),
  NOT_CONFIRMED: say('review.reason.notConfirmed'),
  GOODWILL: say('review.reason.goodwill'),
  OTHER: say('review.reason.other'),
});

/** When an open review is due, or that nobody decided it in time; of a decided one, how. */
export function dueBadge(
  { status, dueAt, decision }: Pick<ReviewDoc, 'status' | 'dueAt' | 'decision'>,
  nowMs: number,
): Html {
  if (status === 'DECIDED') {
    return decision?.verdict === 'UPHOLD'
      ? badge('DONE', say('review.upheld'))
      : badge('QUIET', say('review.dismissed'));
  }
  return dueAt.getTime() < nowMs
    ? badge('FAILED', say('review.overdue', { dueAt: away(dueAt, nowMs) }))
    : badge('OPEN', say('review.due', { dueAt: away(dueAt, nowMs) }));
}
