import { createEvents } from '../models/find-together.ts';
import { auditActivities } from './audit.ts';
import { createCarryOutRefund } from './carry-out-refund.ts';
import type { ActivityDeps } from './deps.ts';
import { createFinish } from './finish.ts';
import { billingActivities } from './invoices.ts';
import { jobActivities } from './jobs.ts';
import { mailActivities } from './mail.ts';
import { purchaseActivities } from './purchases.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { refundActivities } from './refunds.ts';
import { retentionActivities } from './retention.ts';
import { reviewActivities } from './reviews.ts';
import { createSettle } from './settle.ts';
import { settleRewardActivities } from './settle-reward.ts';
import { unfinishedActivities } from './unfinished.ts';
import { walletActivities } from './wallet.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Every activity of the service, given what they need. */
export function createActivities(deps: ActivityDeps) {
  const settle = createSettle(deps);
  const events = createEvents(deps.models);
  const carryOutRefund = createCarryOutRefund(deps, settle);
  return {
    ...purchaseActivities(deps, events),
    ...unfinishedActivities(deps, createFinish(deps), carryOutRefund),
    ...refundActivities(deps, carryOutRefund),
    ...settleRewardActivities(deps, settle),
    ...walletActivities(deps),
    ...reviewActivities(deps, settle),
    ...mailActivities(deps, events),
    ...auditActivities(deps),
    ...billingActivities(deps),
    ...retentionActivities(deps),
    ...reconciliationActivities(deps),
    ...jobActivities(deps),
  };
}
