/** The public interface of billing. */

export {
  type InvoiceSheet,
  invoiceKindWords,
  invoiceSheet,
  newestInvoices,
  periodLines,
} from './invoices.ts';
export {
  type BillingDeps,
  closePeriodsOf,
  findPlanVersion,
  findSubscription,
  requireCurrencyOf,
  requirePublished,
  settleProration,
} from './periods.ts';
export { createPublishedPlans, type PublishedPlans, toOffer } from './plan-versions.ts';
export { printInvoice } from './print-invoice.ts';
export { readRunway } from './runway.ts';
export {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
  billingStatusFrom,
} from './subscriptions.ts';
export {
  createUsage,
  type Metered,
  type PeriodRef,
  periodOf,
  type Usage,
  usageAccounts,
} from './usage.ts';
