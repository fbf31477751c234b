import { Schema } from 'mongoose';
import type { Language } from '../../domain/languages.ts';
import type { Undelivered } from '../../domain/messages.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { ReviewRef } from '../../domain/review.ts';
import type { Cancellation } from '../../domain/reward.ts';
import type { CustomerStatus, RewardMove, RewardStatus } from '../../domain/reward-states.ts';
import { pendingTurns } from './pending-turns.ts';

/** A move that was made, and its cause. */
export interface MadeMove {
  move: RewardMove;
  at: Date;
  /** The reward's status after the move, also for a refund that changed nothing. */
  status: RewardStatus;
  /** For a refund: its order event, whose response follows from this move. */
  refundEventId?: string;
  /** For an operator's decision: the review. */
  reviewId?: string;
  /** The trace that it was made in, if one was recorded; its workflow continues it. */
  traceparent?: string;
}

/**
 * A reward. This document is the authority on its state. Every move is one conditional write of it, based
 * on the version that was read (models/rewards/move.ts).
 */
export interface RewardDoc {
  _id: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  purchaseEventId: string;
  externalOrderId: string;
  workflowId: string;
  customerId: string;
  claimTokenHash: string;
  currency: string;
  points: number;
  /** The cost for the partner. */
  liabilityCents: number;
  /** The wallet that funds it (`walletIdOf`). */
  walletId: string;
  /** The rule version and the calculation, which explain the points. */
  arithmetic: PointsArithmetic;
  status: RewardStatus;
  customerStatus: CustomerStatus;
  funded: boolean;
  claimExpiresAt: Date;
  /** The language of the page on which the customer claimed it; absent if unknown. */
  claimLanguage?: Language;
  review: ReviewRef | null;
  /** The cancellation by an operator; also null if a refund cancelled the reward. */
  cancellation: Cancellation | null;
  /** The number of moves. */
  version: number;
  moves: MadeMove[];
  /** The number of moves, from the first on, whose consequences are carried out. */
  carriedOut: number;
  /** Messages that did not reach the customer; absent without any. */
  undelivered?: Undelivered[];
  /** Set while a move from outside the purchase's workflow is not carried out. */
  pendingSince?: Date;
  /** Set while the totals of its day do not include it, or include it in a former state. */
  toCount?: true;
  /** The state in which those totals include it, and the batch that added it. */
  counted?: { as: RewardStatus; batch: number };
  createdAt: Date;
  updatedAt: Date;
}

/** The hint of every query of a wallet's queue, so that MongoDB never chooses another index. */
export const awaitingFundingIndex = 'awaiting_funding';

/** The index of rewards that the daily totals do not include yet. */
export const uncountedIndex = 'uncounted';

/** The hint of a partner's list of rewards. */
export const partnerRewardsIndex = 'partner_rewards';

export const missingFundsIndex = 'missing_funds';

export const testRewardsIndex = 'test_rewards';

export const rewardSchema = new Schema<RewardDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    purchaseEventId: { type: String, required: true },
    externalOrderId: { type: String, required: true },
    workflowId: { type: String, required: true },
    customerId: { type: String, required: true },
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
    claimLanguage: { type: String },
    review: {
      type: new Schema({ reviewId: String, openedAt: String, dueMs: Number }, { _id: false }),
      default: null,
    },
    cancellation: {
      type: new Schema(
        { operatorId: String, cancelledAt: String, sealedReason: String },
        { _id: false },
      ),
      default: null,
    },
    version: { type: Number, required: true },
    moves: [
      new Schema(
        {
          move: String,
          at: Date,
          status: String,
          refundEventId: String,
          reviewId: String,
          traceparent: String,
        },
        { _id: false },
      ),
    ],
    carriedOut: { type: Number, default: 0 },
    undelivered: { type: Schema.Types.Mixed },
    pendingSince: { type: Date },
    toCount: { type: Boolean },
    counted: { type: new Schema({ as: String, batch: Number }, { _id: false }) },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'rewards', versionKey: false },
);
rewardSchema.index({ partnerId: 1, purchaseEventId: 1 }, { unique: true });
rewardSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
rewardSchema.index({ claimTokenHash: 1 });
// For a wallet's queue, first come first served, with the amounts: read from the index alone.
rewardSchema.index(
  { partnerId: 1, walletId: 1, status: 1, _id: 1, liabilityCents: 1 },
  { name: awaitingFundingIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// For the missing funds by partner: summed from the index alone.
rewardSchema.index(
  { status: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: missingFundsIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// For rewards with moves that are not carried out; only as large as the backlog.
rewardSchema.index(pendingTurns.fields, pendingTurns.options);
// For rewards to count; only as large as the changes of the last seconds.
rewardSchema.index(
  { partnerId: 1, _id: 1, toCount: 1 },
  { name: uncountedIndex, partialFilterExpression: { toCount: true } },
);
// For the TEST clock's page; partial, so that it costs LIVE rewards nothing.
rewardSchema.index(
  { partnerId: 1, createdAt: 1 },
  { name: testRewardsIndex, partialFilterExpression: { mode: 'TEST' } },
);
// For operators' searches; the open rewards with a status are a range.
rewardSchema.index({ customerId: 1, _id: -1 });
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ status: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
// For partners' lists, and their totals: summed from the index alone.
rewardSchema.index(
  { partnerId: 1, mode: 1, status: 1, _id: -1, currency: 1, points: 1, liabilityCents: 1 },
  { name: partnerRewardsIndex },
);
