import { modes } from '../../domain/mode.ts';
import type { PolicyRef } from '../../domain/refund-policy.ts';
import { type ReviewDecision, reviewNoteKinds } from '../../domain/review.ts';
import {
  collection,
  date,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  type Stored,
  text,
} from './fields.ts';

/**
 * The review of a claimed reward's refund. The reward's workflow opens it, and one write decides
 * it.
 */
export const reviewSchema = collection('reviews', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  rewardId: text,
  refundEventId: text,
  externalOrderId: text,
  /** How much of the order the refunds under review refunded in all. */
  amountCents: number,
  /** What the customer loses if it is upheld, and what that is worth. */
  points: number,
  liabilityCents: number,
  workflowId: text,
  /** BY_POLICY: a refund policy upholds it, unless an operator decides before its time. */
  status: oneOf(['OPEN', 'BY_POLICY', 'DECIDED']),
  openedAt: date,
  dueAt: date,
  /** How often it was put to the operators: once, and once more each time it became overdue. */
  rounds: number,
  decision: nullable(mixed<ReviewDecision>()),
  /** How it was left to a refund policy; absent if it was not. */
  policy: optional(mixed<PolicyRef>()),
  /** The operator it is assigned to. */
  assigneeId: optional(text),
});
export type ReviewDoc = Stored<typeof reviewSchema>;
reviewSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
reviewSchema.index({ status: 1, _id: -1 });
/** For the queue by due date, in each mode: of all partners, of one, and of one operator. */
export const reviewQueueIndexes = {
  all: 'queue',
  ofPartner: 'queue_of',
  ofAssignee: 'queue_assigned',
} as const;
const byDueTime = { status: 1, mode: 1, dueAt: 1, _id: 1 } as const;
reviewSchema.index(byDueTime, { name: reviewQueueIndexes.all });
reviewSchema.index({ partnerId: 1, ...byDueTime }, { name: reviewQueueIndexes.ofPartner });
reviewSchema.index(
  { assigneeId: 1, ...byDueTime },
  {
    name: reviewQueueIndexes.ofAssignee,
    partialFilterExpression: { assigneeId: { $exists: true } },
  },
);

/** For a customer's refunds that were left to a policy. */
reviewSchema.index(
  { partnerId: 1, 'policy.customerId': 1, _id: -1 },
  { name: 'left_to_policy', partialFilterExpression: { 'policy.customerId': { $type: 'string' } } },
);
/** For a partner's newest decided reviews. */
reviewSchema.index({ partnerId: 1, mode: 1, status: 1, _id: -1 });

/** A note, question or answer about a review. Never changed. */
export const reviewNoteSchema = collection('review_notes', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  reviewId: text,
  kind: oneOf(reviewNoteKinds),
  authorId: text,
  /** The text, which may name the customer: sealed for the customer and bound to `_id`. */
  sealed: text,
  at: date,
});
export type ReviewNoteDoc = Stored<typeof reviewNoteSchema>;
reviewNoteSchema.index({ partnerId: 1, reviewId: 1, _id: 1 });
/** For the questions to a partner. */
reviewNoteSchema.index({ partnerId: 1, mode: 1, kind: 1, _id: -1 });
/** For recent answers of all partners. */
reviewNoteSchema.index({ kind: 1, mode: 1, _id: -1 });
