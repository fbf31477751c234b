import { accountingActivities } from './accounting.ts';
import { auditActivities } from './audit.ts';
import { billingActivities } from './billing.ts';
import type { ActivityDeps } from './deps.ts';
import { eventActivities } from './events.ts';
import { notifyActivities } from './notify.ts';
import { reviewActivities } from './review.ts';
import { walletActivities } from './wallet.ts';

export type Activities = ReturnType<typeof createActivities>;

/** Every activity of the service, given what they need. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...eventActivities(deps),
    ...accountingActivities(deps),
    ...walletActivities(deps),
    ...reviewActivities(deps),
    ...notifyActivities(deps),
    ...auditActivities(deps),
    ...billingActivities(deps),
  };
}
