import { intervals } from '../../domain/billing.ts';
import {
  collection,
  date,
  field,
  flag,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  textOf,
} from './fields.ts';

/**
 * One version of a plan, for all partners. A draft is published once; after that it can only be
 * archived, which means that it is no longer offered, and those who have it keep it. There are few,
 * so that they stay on one shard and `planCode` and `version` are unique without a partner in the
 * key.
 */
export const planVersionSchema = collection('plan_versions', {
  _id: text,
  planCode: text,
  version: number,
  name: text,
  /** ISO 4217. */
  currency: text,
  monthlyPriceCents: number,
  annualPriceCents: number,
  includedPoints: number,
  overageRateMicrosPerPoint: number,
  apiRateLimitPerMinute: number,
  supportClass: text,
  features: listOf(text),
  status: oneOf(['DRAFT', 'PUBLISHED', 'ARCHIVED']),
  createdAt: date,
  publishedAt: nullable(date),
  archivedAt: nullable(date),
});
export type PlanVersionDoc = Stored<typeof planVersionSchema>;
planVersionSchema.index({ planCode: 1, version: -1 }, { unique: true });
planVersionSchema.index({ status: 1, planCode: 1, version: -1 });

/** Sub-document of a subscription and of an invoice. */
const terms = part({
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

/** Sub-document of an invoice and of a TEST period. */
const invoiceLine = part({
  kind: textOf<'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION'>(),
  description: text,
  /** Negative for a credit. */
  amountCents: number,
});
export type InvoiceLine = Stored<typeof invoiceLine>;

const named = { name: text, address: nullable(text), taxId: nullable(text) };
const issuer = part({ ...named, paymentDetails: nullable(text) });
const party = part({ ...named, country: text });

/** What a partner owes for one period of a subscription, or for an upgrade within it. Insert-only. */
export const invoiceSchema = collection('invoices', {
  _id: text,
  partnerId: text,
  subscriptionId: text,
  planVersionId: text,
  kind: oneOf(['PERIOD', 'PRORATION']),
  /** The upgrade that it is for; PRORATION only. */
  changeId: nullable(text),
  /** Counts the partner's invoices from 1; the invoice number ends in it. */
  seq: number,
  number: text,
  currency: text,
  periodStart: date,
  periodEnd: date,
  /** The terms that the period was billed on; PERIOD only. */
  terms: nullable(terms),
  lines: listOf(invoiceLine),
  /** As of the issue; null if none was configured, absent in invoices from before it was stored. */
  issuer: optional(field<Stored<typeof issuer> | null>({ type: issuer.type })),
  /** As of the issue; absent in invoices from before it was stored. */
  billedTo: optional(party),
  /** The sum of the lines, never below zero. */
  totalCents: number,
  status: oneOf(['ISSUED']),
  paymentStatus: oneOf(['DUE']),
  issuedAt: date,
  dueAt: date,
});
export type InvoiceDoc = Stored<typeof invoiceSchema>;
// Exactly one invoice per subscription and period, and one per upgrade (docs/domain.md, Plans, usage and
// billing).
invoiceSchema.index(
  { partnerId: 1, subscriptionId: 1, periodStart: 1, kind: 1, changeId: 1 },
  { unique: true },
);
invoiceSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
invoiceSchema.index({ partnerId: 1, _id: -1 }, { unique: true });
