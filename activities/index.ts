import { auditActivities } from './audit.ts';
import type { ActivityDeps } from './deps.ts';
import { billingActivities } from './invoices.ts';
import { notifyActivities } from './mail.ts';
import { eventActivities } from './purchases.ts';
import { retentionActivities } from './retention.ts';
import { reviewActivities } from './reviews.ts';
import { settleRewardActivities } from './settle-reward.ts';
import { walletActivities } from './wallet.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Every activity of the service, given what they need. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...eventActivities(deps),
    ...settleRewardActivities(deps),
    ...walletActivities(deps),
    ...reviewActivities(deps),
    ...notifyActivities(deps),
    ...auditActivities(deps),
    ...billingActivities(deps),
    ...retentionActivities(deps),
  };
}
