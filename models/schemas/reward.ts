import { Schema } from 'mongoose';
import type { Language } from '../../domain/languages.ts';
import type { Undelivered } from '../../domain/messages.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { ReviewRef } from '../../domain/review.ts';
import type { Cancellation } from '../../domain/reward.ts';
import type { CustomerStatus, RewardMove, RewardStatus } from '../../domain/reward-states.ts';
import { pendingTurns } from './pending-turns.ts';

/** A move that was made, and what made it. */
export interface MadeMove {
  move: RewardMove;
  at: Date;
  /** The reward's after it: of a refund that changed nothing, what it was. */
  status: RewardStatus;
  /** Of a refund: its order event, so that its answer is decided here, once. */
  refundEventId?: string;
  /** Of an operator's decision: the review. */
  reviewId?: string;
  /** The trace that it was made in, if one was recorded; its workflow continues it. */
  traceparent?: string;
}

/**
 * A reward: the authority on its own state. Whoever moves it does so by one conditional write of this
 * document, from the version that they read (models/rewards/move.ts).
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
  /** In which its customer read the page that it was claimed on; absent where that is not known. */
  claimLanguage?: Language;
  review: ReviewRef | null;
  /** By an operator; null also for one that a refund cancelled. */
  cancellation: Cancellation | null;
  /** Counts the moves. */
  version: number;
  moves: MadeMove[];
  /** How many of the moves, from the first on, have brought about all that they ask for. */
  carriedOut: number;
  /** Messages about it that did not reach the customer; absent where there are none. */
  undelivered?: Undelivered[];
  /** Only while a move is not carried out that was made outside the purchase's workflow. */
  pendingSince?: Date;
  /** Only while the totals of its day do not have it, or have it in a former state. */
  toCount?: true;
  /** The state that those totals have it in, and the batch by which they have. */
  counted?: { as: RewardStatus; batch: number };
  createdAt: Date;
  updatedAt: Date;
}

/** Every question about a wallet's queue names it, so that no other index is ever taken for it. */
export const awaitingFundingIndex = 'awaiting_funding';

/** What the totals of the days do not have yet. */
export const uncountedIndex = 'uncounted';

/** A partner's list of rewards names it. */
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
// Who waits for funding, first come first, and what they need: read without reading a reward.
rewardSchema.index(
  { partnerId: 1, walletId: 1, status: 1, _id: 1, liabilityCents: 1 },
  { name: awaitingFundingIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// What is missing in funds, and to whom, summed without reading a reward.
rewardSchema.index(
  { status: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: missingFundsIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// What is not carried out: as large as what is being settled.
rewardSchema.index(pendingTurns.fields, pendingTurns.options);
// What is to be counted: as large as what was made or moved within the last seconds.
rewardSchema.index(
  { partnerId: 1, _id: 1, toCount: 1 },
  { name: uncountedIndex, partialFilterExpression: { toCount: true } },
);
// What a TEST period has in it: nothing of it costs a LIVE reward anything.
rewardSchema.index(
  { partnerId: 1, createdAt: 1 },
  { name: testRewardsIndex, partialFilterExpression: { mode: 'TEST' } },
);
// What operators look for; the open ones of a status are a range of it.
rewardSchema.index({ customerId: 1, _id: -1 });
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ status: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
// What a partner looks for, and its totals, summed without reading a reward.
rewardSchema.index(
  { partnerId: 1, mode: 1, status: 1, _id: -1, currency: 1, points: 1, liabilityCents: 1 },
  { name: partnerRewardsIndex },
);
