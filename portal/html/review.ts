import type { ReviewReason } from '../../domain/review-reasons.ts';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import { type PlainKey, say } from '../words/say.ts';
import { badge } from './components.ts';
import { away } from './format.ts';
import type { Html } from './html.ts';

export const reasonWords: Readonly<Record<ReviewReason, PlainKey>> = {
  GOODS_RETURNED: 'review.reason.goodsReturned',
  ORDER_CANCELLED: 'review.reason.orderCancelled',
  PAYMENT_REVERSED: 'review.reason.paymentReversed',
  FRAUD: 'review.reason.fraud',
  REFUND_IN_ERROR: 'review.reason.refundInError',
  PARTIAL_REFUND: 'review.reason.partialRefund',
  NOT_CONFIRMED: 'review.reason.notConfirmed',
  GOODWILL: 'review.reason.goodwill',
  OTHER: 'review.reason.other',
};

/** When an open review is due or that it is overdue; for a decided one, its verdict. */
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
