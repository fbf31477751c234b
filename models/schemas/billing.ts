import type { Invoice } from '../../domain/invoice.ts';
import type { Subscription } from '../../domain/subscription.ts';
import {
  collection,
  date,
  declared,
  listOf,
  nullable,
  number,
  oneOf,
  type Stored,
  text,
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

export type InvoiceDoc = Invoice;
export const invoiceSchema = declared<Invoice>('invoices');
// Exactly one invoice per subscription and period, and one per upgrade (docs/concepts/billing.md).
invoiceSchema.index(
  { partnerId: 1, subscriptionId: 1, periodStart: 1, kind: 1, changeId: 1 },
  { unique: true },
);
invoiceSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
invoiceSchema.index({ partnerId: 1, _id: -1 }, { unique: true });
// For reminders.
invoiceSchema.index(
  { remindAt: 1, _id: 1 },
  { partialFilterExpression: { remindAt: { $type: 'date' } } },
);
