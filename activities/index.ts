import { auditActivities } from './audit.ts';
import type { ActivityDeps } from './deps.ts';
import { billingActivities } from './invoices.ts';
import { jobActivities } from './jobs.ts';
import { mailActivities } from './mail.ts';
import { purchaseActivities } from './purchases.ts';
import { refundActivities } from './refunds.ts';
import { retentionActivities } from './retention.ts';
import { reviewActivities } from './reviews.ts';
import { createSettle } from './settle.ts';
import { settleRewardActivities } from './settle-reward.ts';
import { walletActivities } from './wallet.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Every activity of the service, given what they need. */
export function createActivities(deps: ActivityDeps) {
  const settle = createSettle(deps);
  return {
    ...purchaseActivities(deps),
    ...refundActivities(deps, settle),
    ...settleRewardActivities(deps, settle),
    ...walletActivities(deps),
    ...reviewActivities(deps, settle),
    ...mailActivities(deps),
    ...auditActivities(deps),
    ...billingActivities(deps),
    ...retentionActivities(deps),
    ...jobActivities(deps),
  };
}
