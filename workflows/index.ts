/** The entry point of the workflow bundle: all workflows of the service. */
export { auditLedger } from './audit.ts';
export { closeBillingPeriods } from './billing-period.ts';
export { hold } from './hold.ts';
export { backgroundJob } from './jobs.ts';
export { endPoints } from './points-end.ts';
export { pointsLink } from './points-link.ts';
export { purchase } from './purchase.ts';
export { reconcileWorkflows } from './reconciliation.ts';
export { forget } from './retention.ts';
export { sendAgain } from './send-again.ts';
export { repairShops } from './shops.ts';
export { signTreeHead } from './tree-head.ts';
export { webhookEndpoint } from './webhooks.ts';
