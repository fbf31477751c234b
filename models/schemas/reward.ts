import { Schema } from 'mongoose';
import type { Cancellation, Mode, ReviewRef } from '../../domain/events.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { CustomerStatus, RewardMove, RewardStatus } from '../../domain/reward-states.ts';

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
  version: number;
  moves: { move: RewardMove; at: Date; status: RewardStatus }[];
  createdAt: Date;
  updatedAt: Date;
}

export const rewardSchema = new Schema<RewardDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    mode: { type: String, enum: ['TEST', 'LIVE'], required: true },
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
// Who waits for funding, first come first.
rewardSchema.index(
  { partnerId: 1, walletId: 1, _id: 1 },
  { name: 'awaiting_funding', partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// What is missing in funds, and to whom, summed without reading a reward.
rewardSchema.index(
  { status: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: 'missing_funds', partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// What operators look for.
rewardSchema.index({ customerKey: 1, _id: -1 });
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ status: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
