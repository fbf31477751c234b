import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import type { ReviewDecision } from '../../domain/review.ts';

/**
 * The review of a claimed reward's refund. It is opened with the refund, and
 * decided once.
 */
export interface ReviewDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  rewardId: string;
  refundEventId: string;
  externalOrderId: string;
  points: number;
  workflowId: string;
  status: 'OPEN' | 'DECIDED';
  openedAt: Date;
  dueAt: Date;
  /** How often it was put to the operators: once, and once more each time it became overdue. */
  rounds: number;
  decision: ReviewDecision | null;
  /** The operator it is assigned to. */
  assigneeId?: string;
}

export const reviewSchema = new Schema<ReviewDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    rewardId: { type: String, required: true },
    refundEventId: { type: String, required: true },
    externalOrderId: { type: String, required: true },
    points: { type: Number, required: true },
    workflowId: { type: String, required: true },
    status: { type: String, enum: ['OPEN', 'DECIDED'], required: true },
    openedAt: { type: Date, required: true },
    dueAt: { type: Date, required: true },
    rounds: { type: Number, required: true },
    decision: { type: Schema.Types.Mixed, default: null },
    assigneeId: { type: String },
  },
  { collection: 'reviews', versionKey: false },
);
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
