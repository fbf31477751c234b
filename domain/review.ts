import type { ReviewReason, Verdict } from './review-reasons.ts';

export interface ReviewRef {
  reviewId: string;
  /** ISO 8601, UTC. */
  openedAt: string;
  /** How long the operators have, before it is put before them anew. */
  dueMs: number;
}

export interface ReviewDecision {
  verdict: Verdict;
  reasonCode: ReviewReason;
  operatorId: string;
  decidedAt: string;
  /** The admin's own words, sealed and bound to the review's id. */
  sealedReason: string;
}

/** The count of open reviews in the operators' menu goes no further. */
export const maxCountedReviews = 100;
