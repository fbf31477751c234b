import type { ActivityDeps } from './deps.ts';
import { billingActivities } from './invoices.ts';
import { auditActivities, jobActivities, retentionActivities } from './jobs.ts';
import { createCustomerMessages, messageActivities } from './messages.ts';
import { pointsEndActivities } from './points-end.ts';
import { pointsLinkActivities } from './points-links.ts';
import { purchaseActivities } from './purchases.ts';
import { receiptActivities } from './receipts.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { redemptionActivities } from './redemptions.ts';
import { reviewActivities } from './reviews.ts';
import { shopActivities } from './shops.ts';
import { webhookActivities } from './webhooks.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Creates all activities of the service. */
export function createActivities(deps: ActivityDeps) {
  const customerMessages = createCustomerMessages(deps);
  return {
    ...purchaseActivities(deps, customerMessages),
    ...redemptionActivities(deps),
    ...reviewActivities(deps),
    ...messageActivities(deps, customerMessages),
    ...pointsLinkActivities(deps),
    ...pointsEndActivities(deps),
    ...auditActivities(deps),
    ...receiptActivities(deps),
    ...billingActivities(deps),
    ...retentionActivities(deps),
    ...reconciliationActivities(deps),
    ...shopActivities(deps),
    ...jobActivities(deps),
    ...webhookActivities(deps),
  };
}
