/** The door of the billing: what the rest of the house may use of it. */
export { type BillingDeps, closePeriodsOf, settleProration } from './close-periods.ts';
export { periodLines } from './period-invoice.ts';
export { createPublishedPlans, type PublishedPlans, toOffer } from './plan-versions.ts';
export {
  apiRateLimitPerMinuteOf,
  type Standing,
  standingAt,
  standingFrom,
} from './subscriptions.ts';
export { createUsage, type Usage } from './usage.ts';
export { type PeriodRef, periodOf, usageAccounts } from './usage-accounts.ts';
