import type { ReviewReason } from '../../domain/review.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { badge } from './components.ts';
import { away } from './format.ts';
import type { Html } from './html.ts';

export const reasonWords: Readonly<Record<ReviewReason, string>> = {
  GOODS_RETURNED: 'Goods returned',
  ORDER_CANCELLED: 'Order cancelled',
  PAYMENT_REVERSED: 'Payment reversed',
  FRAUD: 'Fraud',
  REFUND_IN_ERROR: 'Refund reported in error',
  PARTIAL_REFUND: 'Partial refund',
  NOT_CONFIRMED: 'Refund not confirmed by the partner',
  GOODWILL: 'Goodwill towards the customer',
  OTHER: 'Something else',
};

/** When an open review is due or that it is overdue; for a decided one, its verdict. */
export function dueBadge(
  { status, dueAt, decision }: Pick<ReviewDoc, 'status' | 'dueAt' | 'decision'>,
  nowMs: number,
): Html {
  if (status === 'DECIDED') {
    return decision?.verdict === 'UPHOLD' ? badge('DONE', 'Upheld') : badge('QUIET', 'Dismissed');
  }
  return dueAt.getTime() < nowMs
    ? badge('FAILED', `Overdue, ${away(dueAt, nowMs)}`)
    : badge('OPEN', `Due ${away(dueAt, nowMs)}`);
}
