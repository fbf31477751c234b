import { auditActivities } from './audit.ts';
import type { ActivityDeps } from './deps.ts';
import { billingActivities } from './invoices.ts';
import { mailActivities } from './mail.ts';
import { purchaseActivities } from './purchases.ts';
import { refundActivities } from './refunds.ts';
import { reviewActivities } from './reviews.ts';
import { settleRewardActivities } from './settle-reward.ts';
import { walletActivities } from './wallet.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Every activity of the service, given what they need. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...purchaseActivities(deps),
    ...refundActivities(deps),
    ...settleRewardActivities(deps),
    ...walletActivities(deps),
    ...reviewActivities(deps),
    ...mailActivities(deps),
    ...auditActivities(deps),
    ...billingActivities(deps),
  };
}
