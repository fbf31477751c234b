import { Schema } from 'mongoose';
import { modes } from '../../domain/mode.ts';
import type { MadeMove, Reward } from '../../domain/reward.ts';

/** A reward. This document is the authority on its state; only commits change it (models/commit.ts). */
export type RewardDoc = Reward;
export type { MadeMove };

/** The hint of every query of a wallet's queue, so that MongoDB never chooses another index. */
export const awaitingFundingIndex = 'awaiting_funding';

/** The hint of a partner's list of rewards. */
export const partnerRewardsIndex = 'partner_rewards';

export const missingFundsIndex = 'missing_funds';

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
    customerDayId: { type: String, default: null },
    claimWindow: { type: String, required: true },
    claimExpiresAt: { type: Date, required: true },
    isReserved: { type: Boolean, required: true },
    countedIn: { type: Schema.Types.Mixed, default: null },
    fundingNotice: { type: Schema.Types.Mixed, default: null },
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
    undelivered: { type: Schema.Types.Mixed },
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
