/** Why a review is decided as it is: an operator picks one, and may add words of their own. */

export type Verdict = 'UPHOLD' | 'DISMISS';

/** What each verdict may rest on. */
export const reviewReasons = {
  UPHOLD: ['GOODS_RETURNED', 'ORDER_CANCELLED', 'PAYMENT_REVERSED', 'FRAUD', 'OTHER'],
  DISMISS: ['REFUND_IN_ERROR', 'PARTIAL_REFUND', 'NOT_CONFIRMED', 'GOODWILL', 'OTHER'],
} as const satisfies Record<Verdict, readonly string[]>;

export type ReviewReason = (typeof reviewReasons)[Verdict][number];

/** Every reason, once. */
export const allReviewReasons = [...new Set(Object.values(reviewReasons).flat())];

/** How long an operator's own words may be. */
export const maxReasonChars = 500;

/** What keeps a verdict from resting on this reason, in words; undefined where nothing does. */
export function reasonProblem(
  verdict: Verdict,
  reasonCode: ReviewReason,
  words: string,
): string | undefined {
  const reasons: readonly ReviewReason[] = reviewReasons[verdict];
  if (!reasons.includes(reasonCode)) {
    return `reasonCode of ${verdict} must be one of ${reasons.join(', ')}`;
  }
  return reasonCode === 'OTHER' && words === ''
    ? 'reason is required when reasonCode is OTHER'
    : undefined;
}
