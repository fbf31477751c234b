import { ServiceError } from '../../domain/errors.ts';
import { type BillingDeps, closePeriodsOf } from '../billing/close-periods.ts';
import type { SubscriptionDoc } from '../schemas/subscription.ts';
import type { CommandDeps } from './deps.ts';
import { findSubscription } from './find-billing.ts';

const maxRaces = 10;

/**
 * Cancels a subscription: it runs to the end of its period, whose invoice is its last. Cancelling it
 * again changes nothing.
 * @throws ServiceError NOT_FOUND without an active subscription, CONFLICT when too many do this at once
 */
export async function cancelSubscription(
  deps: BillingDeps & Pick<CommandDeps, 'now'>,
  partnerId: string,
): Promise<SubscriptionDoc> {
  const { models, now } = deps;
  for (let race = 0; race < maxRaces; race++) {
    const found = await findSubscription(models, partnerId);
    const { _id, status, currentPeriodStart, currentPeriodEnd } = await closePeriodsOf(
      deps,
      found,
      new Date(now()),
    );
    if (status !== 'ACTIVE') continue;
    const cancelled = await models.subscriptions
      .findOneAndUpdate(
        { partnerId, _id, currentPeriodStart, status: 'ACTIVE', closing: false },
        { $set: { endsAt: currentPeriodEnd, pendingPlanVersionId: null } },
        { returnDocument: 'after' },
      )
      .lean();
    if (cancelled) return cancelled;
  }
  throw new ServiceError('CONFLICT', 'The subscription is being billed or changed. Ask again.');
}
