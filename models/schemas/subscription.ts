import { Schema } from 'mongoose';
import { intervals, type PeriodTerms } from '../../domain/plan-arithmetic.ts';
import type { Subscription } from '../../domain/subscription.ts';

/** A partner's subscription. Only commits change it (models/commit.ts). */
export type SubscriptionDoc = Subscription;

const id = { type: String, required: true };
const count = { type: Number, required: true };
const date = { type: Date, required: true };

/** Sub-document of a subscription and of an invoice. */
export const termsSchema = new Schema<PeriodTerms>(
  { priceCents: count, includedPoints: count, overageRateMicrosPerPoint: count },
  { _id: false },
);

export const subscriptionSchema = new Schema<SubscriptionDoc>(
  {
    _id: id,
    partnerId: id,
    planVersionId: id,
    interval: { type: String, enum: intervals, required: true },
    status: { type: String, enum: ['ACTIVE', 'CANCELLED'], required: true },
    anchorAt: date,
    endsAt: { type: Date, default: null },
    currentPeriodStart: date,
    currentPeriodEnd: date,
    terms: { type: termsSchema, required: true },
    creditCents: count,
    pendingPlanVersionId: { type: String, default: null },
    createdAt: date,
  },
  { collection: 'subscriptions', versionKey: false },
);
subscriptionSchema.index(
  { partnerId: 1 },
  { unique: true, name: 'one_active', partialFilterExpression: { status: 'ACTIVE' } },
);
subscriptionSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
subscriptionSchema.index({ partnerId: 1, anchorAt: -1 });
// For billing: periods that are over.
subscriptionSchema.index({ status: 1, currentPeriodEnd: 1, _id: 1 });
