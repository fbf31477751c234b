import { ServiceError } from '../../domain/errors.ts';
import { type BillingDeps, closePeriodsOf, findSubscription } from '../../models/billing/index.ts';
import type { SubscriptionDoc } from '../../models/schemas/billing.ts';
import type { OperationDeps } from '../deps.ts';

export type ChangeSubscriptionDeps = BillingDeps & Pick<OperationDeps, 'now'>;

export interface SubscriptionChange {
  set: Partial<SubscriptionDoc>;
  /** Further conditions of the write, which requires the same period, active and not being billed. */
  onlyIf?: Partial<Pick<SubscriptionDoc, 'planVersionId' | 'proration'>>;
}

const maxRaces = 10;

/**
 * Changes a partner's active subscription in its current period; periods that are over are billed first.
 * If it was billed or changed in the meantime, the change is decided again.
 * @param decide gets the subscription and the time, and returns the change
 * @throws ServiceError NOT_FOUND without an active subscription, CONFLICT after too many lost races, and
 *   whatever `decide` throws
 */
export async function changeSubscription(
  deps: ChangeSubscriptionDeps,
  partnerId: string,
  decide: (seen: SubscriptionDoc, at: Date) => SubscriptionChange | Promise<SubscriptionChange>,
): Promise<SubscriptionDoc> {
  const { models, now } = deps;
  for (let race = 0; race < maxRaces; race++) {
    const at = new Date(now());
    const seen = await closePeriodsOf(deps, await findSubscription(models, partnerId), at);
    if (seen.status !== 'ACTIVE') continue;
    const { set, onlyIf } = await decide(seen, at);
    const { _id, currentPeriodStart } = seen;
    const changed = await models.subscriptions.findOneAndUpdate(
      { partnerId, _id, currentPeriodStart, status: 'ACTIVE', closing: false, ...onlyIf },
      { $set: set },
      { returnDocument: 'after' },
    );
    if (changed) return changed;
  }
  throw new ServiceError('CONFLICT', 'The subscription is being billed or changed. Try again.');
}
