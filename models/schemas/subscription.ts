import { Schema } from 'mongoose';
import { type Interval, intervals, type PeriodTerms } from '../../domain/plan-arithmetic.ts';

/**
 * A partner's subscription to one plan version. Billing and plan changes write it, each conditional
 * on the period and plan that were read (docs/domain.md, Storage).
 */
export interface SubscriptionDoc {
  _id: string;
  partnerId: string;
  planVersionId: string;
  interval: Interval;
  status: 'ACTIVE' | 'CANCELLED';
  /** When it began; all periods are counted from here. */
  anchorAt: Date;
  /** A cancelled subscription runs to the end of its period. */
  endsAt: Date | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  /** The terms of the current period: those of the plan it began with, changed by upgrades. */
  terms: PeriodTerms;
  /**
   * Whether the current period is being billed: its terms do not change until the next one begins.
   */
  closing: boolean;
  /** The plan of the next period, if a different one was chosen. */
  pendingPlanVersionId: string | null;
  /** An upgrade whose invoice is still to be written. */
  proration: Proration | null;
  createdAt: Date;
}

export interface Proration {
  changeId: string;
  fromPlanVersionId: string;
  toPlanVersionId: string;
  dueCents: number;
  at: Date;
}

const id = { type: String, required: true };
const count = { type: Number, required: true };
const date = { type: Date, required: true };

/** Sub-document of a subscription and of an invoice. */
export const termsSchema = new Schema<PeriodTerms>(
  { priceCents: count, includedPoints: count, overageRateMicrosPerPoint: count },
  { _id: false },
);

const prorationSchema = new Schema<Proration>(
  { changeId: id, fromPlanVersionId: id, toPlanVersionId: id, dueCents: count, at: date },
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
    closing: { type: Boolean, required: true },
    pendingPlanVersionId: { type: String, default: null },
    proration: { type: prorationSchema, default: null },
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
// For billing: periods that are over, and upgrades without an invoice.
subscriptionSchema.index({ status: 1, currentPeriodEnd: 1, _id: 1 });
subscriptionSchema.index(
  { _id: 1, 'proration.at': 1 },
  { partialFilterExpression: { 'proration.at': { $exists: true } } },
);
