import type { ActivityDeps } from './deps.ts';
import { billingActivities } from './invoices.ts';
import { auditActivities, jobActivities, retentionActivities } from './jobs.ts';
import { messageActivities, pointsLinkActivities } from './messages.ts';
import { createPurchaseParts, purchaseActivities } from './purchases.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { reviewActivities } from './reviews.ts';
import { walletActivities } from './wallet.ts';
import { webhookActivities } from './webhooks.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Creates all activities of the service. */
export function createActivities(deps: ActivityDeps) {
  const parts = createPurchaseParts(deps);
  return {
    ...purchaseActivities(parts),
    ...walletActivities(deps),
    ...reviewActivities(deps),
    ...messageActivities(deps, parts.customerMessages),
    ...pointsLinkActivities(deps),
    ...auditActivities(deps),
    ...billingActivities(deps),
    ...retentionActivities(deps),
    ...reconciliationActivities(deps),
    ...jobActivities(deps),
    ...webhookActivities(deps),
  };
}
