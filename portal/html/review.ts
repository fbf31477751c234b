import type { ReviewReason } from '../../domain/review-reasons.ts';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import { badge } from './components.ts';
import { away } from './format.ts';
import type { Html } from './html.ts';

export const reasonWords: Record<ReviewReason, string> = {
  GOODS_RETURNED: 'The goods came back',
  ORDER_CANCELLED: 'The order was cancelled',
  PAYMENT_REVERSED: 'The payment was reversed',
  FRAUD: 'It was fraud',
  REFUND_IN_ERROR: 'The refund was reported in error',
  PARTIAL_REFUND: 'Only a part was refunded',
  NOT_CONFIRMED: 'The partner could not confirm the refund',
  GOODWILL: 'Goodwill towards the customer',
  OTHER: 'Something else',
};

/** When an open review is due, or that nobody decided it in time; of a decided one, how. */
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
