import type { SubscriptionDoc } from '../schemas/subscription.ts';
import { type ChangeSubscriptionDeps, changeSubscription } from './change-subscription.ts';

/**
 * Cancels a subscription: it runs to the end of its period, whose invoice is its last. Cancelling it
 * again changes nothing.
 * @throws ServiceError NOT_FOUND without an active subscription, CONFLICT when too many do this at once
 */
export async function cancelSubscription(
  deps: ChangeSubscriptionDeps,
  partnerId: string,
): Promise<SubscriptionDoc> {
  return await changeSubscription(deps, partnerId, ({ currentPeriodEnd }) => ({
    set: { endsAt: currentPeriodEnd, pendingPlanVersionId: null },
  }));
}
