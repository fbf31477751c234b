import type { Subscription } from '../../domain/subscription.ts';
import {
  collection,
  date,
  declared,
  field,
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
  currency: text,
});

/** A partner's subscription. */
export type SubscriptionDoc = Subscription;
export const subscriptionSchema = declared<Subscription>('subscriptions');
subscriptionSchema.index(
  { partnerId: 1 },
  { unique: true, name: 'one_active', partialFilterExpression: { status: 'ACTIVE' } },
);
subscriptionSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
subscriptionSchema.index({ partnerId: 1, anchorAt: -1 });
// For billing: periods that are over.
subscriptionSchema.index({ status: 1, currentPeriodEnd: 1, _id: 1 });

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
