import { Schema } from 'mongoose';
import {
  type Cancellation,
  type Mode,
  modes,
  type ReviewDecision,
  type ReviewRef,
} from '../../domain/events.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type {
  CustomerStatus,
  Effect,
  RewardMove,
  RewardStatus,
} from '../../domain/reward-states.ts';

/** What a move has still to bring about once the state is written: money, points, a review. */
export interface UnfinishedMove {
  effect: Effect | null;
  /** ISO 8601, when the move happened. */
  at: string;
  /** The review that it closes, where it does. */
  closes: { reviewId: string; decision: ReviewDecision } | null;
}

/** A reward. Only its purchase workflow changes it, one version at a time. */
export interface RewardDoc {
  _id: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  purchaseEventId: string;
  externalOrderId: string;
  workflowId: string;
  customerKey: string;
  claimTokenHash: string;
  currency: string;
  points: number;
  /** What it costs the partner. */
  liabilityCents: number;
  /** Whose funds stand behind it (`walletIdOf`). */
  walletId: string;
  /** The rule version and the sum, so that anyone can see why it has that many points. */
  arithmetic: PointsArithmetic;
  status: RewardStatus;
  customerStatus: CustomerStatus;
  funded: boolean;
  claimExpiresAt: Date;
  review: ReviewRef | null;
  /** By an operator; null also for one that a refund cancelled. */
  cancellation: Cancellation | null;
  /** Only from the newest move until all that it brings about is done. */
  unfinished?: UnfinishedMove;
  version: number;
  moves: { move: RewardMove; at: Date; status: RewardStatus }[];
  createdAt: Date;
  updatedAt: Date;
}

/** Every question about a wallet's line names it, so that no other index is ever taken for it. */
export const awaitingFundingIndex = 'awaiting_funding';

export const rewardSchema = new Schema<RewardDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    purchaseEventId: { type: String, required: true },
    externalOrderId: { type: String, required: true },
    workflowId: { type: String, required: true },
    customerKey: { type: String, required: true },
    claimTokenHash: { type: String, required: true },
    currency: { type: String, required: true },
    points: { type: Number, required: true },
    liabilityCents: { type: Number, required: true },
    walletId: { type: String, required: true },
    arithmetic: { type: Schema.Types.Mixed, required: true },
    status: { type: String, required: true },
    customerStatus: { type: String, required: true },
    funded: { type: Boolean, required: true },
    claimExpiresAt: { type: Date, required: true },
    review: {
      type: new Schema({ reviewId: String, openedAt: String, dueMs: Number }, { _id: false }),
      default: null,
    },
    cancellation: {
      type: new Schema(
        { adminId: String, cancelledAt: String, sealedReason: String },
        { _id: false },
      ),
      default: null,
    },
    unfinished: { type: Schema.Types.Mixed },
    version: { type: Number, required: true },
    moves: [new Schema({ move: String, at: Date, status: String }, { _id: false })],
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'rewards', versionKey: false },
);
rewardSchema.index({ partnerId: 1, purchaseEventId: 1 }, { unique: true });
rewardSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
rewardSchema.index({ claimTokenHash: 1 });
// Who waits for funding, first come first, and what they need: read without reading a reward.
rewardSchema.index(
  { partnerId: 1, walletId: 1, status: 1, _id: 1, liabilityCents: 1 },
  { name: awaitingFundingIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// What is missing in funds, and to whom, summed without reading a reward.
rewardSchema.index(
  { status: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: 'missing_funds', partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// Whose newest move is not done: as large as what is being settled.
rewardSchema.index(
  { 'unfinished.at': 1 },
  { name: 'unfinished', partialFilterExpression: { 'unfinished.at': { $exists: true } } },
);
// What a TEST period has in it: nothing of it costs a LIVE reward anything.
rewardSchema.index(
  { partnerId: 1, createdAt: 1 },
  { name: 'test_rewards', partialFilterExpression: { mode: 'TEST' } },
);
// What operators look for; the open ones of a status are a range of it.
rewardSchema.index({ customerKey: 1, _id: -1 });
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ status: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
