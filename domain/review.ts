export interface ReviewRef {
  reviewId: string;
  /** ISO 8601, UTC. */
  openedAt: string;
  /** How long operators have before the review is overdue and they are notified again. */
  dueMs: number;
  /** Absent if operators decide. */
  policy?: {
    policyId: string /** ISO 8601: from then on the points are taken back. */;
    upholdsAt: string;
  };
}

export interface ReviewDecision {
  verdict: Verdict;
  reasonCode: ReviewReason;
  /** Of a refund policy, `pol_…`, if that decided. */
  operatorId: string;
  decidedAt: string;
  /** The operator's comment, sealed and bound to the review's id; empty for a policy's decision. */
  sealedReason: string;
}

/** A refund policy's decision. */
export const policyDecision = (policyId: string, at: Date): ReviewDecision => ({
  verdict: 'UPHOLD',
  reasonCode: 'POLICY',
  operatorId: policyId,
  decidedAt: at.toISOString(),
  sealedReason: '',
});

/**
 * What is written about a review: operators' notes for each other, which the partner never sees,
 * their questions to the partner, and its answers.
 */
export const reviewNoteKinds = ['NOTE', 'QUESTION', 'ANSWER'] as const;

export type ReviewNoteKind = (typeof reviewNoteKinds)[number];

export const maxNoteChars = 1_000;
/** The most notes of each kind on one review. */
export const maxNotes = 100;

/** The reasons for deciding a review. An operator selects one and may add a comment. */

export type Verdict = 'UPHOLD' | 'DISMISS';

/** The reasons allowed for each verdict. */
export const reviewReasons = {
  UPHOLD: ['GOODS_RETURNED', 'ORDER_CANCELLED', 'PAYMENT_REVERSED', 'FRAUD', 'OTHER'],
  DISMISS: ['REFUND_IN_ERROR', 'NOT_CONFIRMED', 'GOODWILL', 'OTHER'],
} as const satisfies Record<Verdict, readonly string[]>;

/** `POLICY`: the partner's refund policy decided. */
export type ReviewReason = (typeof reviewReasons)[Verdict][number] | 'POLICY';

export const allReviewReasons = [...new Set(Object.values(reviewReasons).flat())];

/** The longest comment, in characters. */
export const maxReasonChars = 500;

/** Why a verdict cannot be given with this reason, as a sentence; undefined if it can. */
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

/** The id of the review that a refund opens, so that opening it twice opens one. */
export const reviewIdOf = (refundEventId: string): string => refundEventId.replace(/^evt_/, 'rev_');
