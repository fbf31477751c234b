/** The public interface of billing. */
export { type BillingDeps, closePeriodsOf, partiesOf } from './close-periods.ts';
export {
  findPlanVersion,
  findSubscription,
  requireCurrencyOf,
  requirePublished,
} from './find.ts';
export { type InvoiceSheet, invoiceKindWords, invoiceSheet } from './invoice-sheet.ts';
export { issueInvoice } from './invoices.ts';
export { newestInvoices } from './newest-invoices.ts';
export { periodLines, prorationInvoice } from './period-invoice.ts';
export { createPublishedPlans, type PublishedPlans, toOffer } from './plan-versions.ts';
export { printInvoice } from './print-invoice.ts';
export { readRunway } from './runway.ts';
export {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
  billingStatusFrom,
} from './subscriptions.ts';
export { type PeriodRef, periodPoints, usageOfLastDays } from './usage.ts';
