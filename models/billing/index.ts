/** The public interface of billing. */

export {
  creditNoteSheet,
  type InvoiceSheet,
  invoiceKindWords,
  invoiceSheet,
  issueInvoice,
  newestInvoices,
  periodLines,
  prorationInvoice,
} from './invoices.ts';
export {
  type BillingDeps,
  closePeriodsOf,
  findPlanVersion,
  findSubscription,
  partiesOf,
  requireCurrencyOf,
  requirePublished,
} from './periods.ts';
export { createPublishedPlans, type PublishedPlans, toOffer } from './plan-versions.ts';
export { printInvoice, printStatement } from './print-invoice.ts';
export { readRunway } from './runway.ts';
export {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
  billingStatusFrom,
} from './subscriptions.ts';
export { type PeriodRef, periodPoints, usageOfLastDays } from './usage.ts';
