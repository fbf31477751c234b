import type { ReviewReason, Verdict } from './review-reasons.ts';

export interface ReviewRef {
  reviewId: string;
  /** ISO 8601, UTC. */
  openedAt: string;
  /** How long operators have before the review is overdue and they are notified again. */
  dueMs: number;
}

export interface ReviewDecision {
  verdict: Verdict;
  reasonCode: ReviewReason;
  operatorId: string;
  decidedAt: string;
  /** The operator's comment, sealed and bound to the review's id. */
  sealedReason: string;
}

/** The count of open reviews in the operators' menu stops here. */
export const maxCountedReviews = 100;
