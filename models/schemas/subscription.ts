import { intervals } from '../../domain/plan-arithmetic.ts';
import {
  collection,
  date,
  flag,
  nullable,
  number,
  oneOf,
  part,
  type Stored,
  text,
} from './fields.ts';

/** Sub-document of a subscription and of an invoice. */
export const terms = part({
  priceCents: number,
  includedPoints: number,
  overageRateMicrosPerPoint: number,
});

const proration = part({
  changeId: text,
  fromPlanVersionId: text,
  toPlanVersionId: text,
  dueCents: number,
  at: date,
});
export type Proration = Stored<typeof proration>;

/**
 * A partner's subscription to one plan version. Billing and plan changes write it, each conditional
 * on the period and plan that were read (docs/domain.md, Storage).
 */
export const subscriptionSchema = collection('subscriptions', {
  _id: text,
  partnerId: text,
  planVersionId: text,
  interval: oneOf(intervals),
  status: oneOf(['ACTIVE', 'CANCELLED']),
  /** When it began; all periods are counted from here. */
  anchorAt: date,
  /** A cancelled subscription runs to the end of its period. */
  endsAt: nullable(date),
  currentPeriodStart: date,
  currentPeriodEnd: date,
  /** The terms of the current period: those of the plan it began with, changed by upgrades. */
  terms,
  /**
   * Whether the current period is being billed: its terms do not change until the next one begins.
   */
  closing: flag,
  /** The plan of the next period, if a different one was chosen. */
  pendingPlanVersionId: nullable(text),
  /** An upgrade whose invoice is still to be written. */
  proration: nullable(proration),
  createdAt: date,
});
export type SubscriptionDoc = Stored<typeof subscriptionSchema>;
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
