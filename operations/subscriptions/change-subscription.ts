import type { Draft } from '../../domain/draft.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Terms } from '../../domain/facts.ts';
import { type BillingDeps, closePeriodsOf, findSubscription } from '../../models/billing/index.ts';
import type { SubscriptionDoc } from '../../models/schemas/billing.ts';
import type { OperationDeps } from '../deps.ts';

export type ChangeSubscriptionDeps = BillingDeps & Pick<OperationDeps, 'now'>;

const maxRaces = 10;

/**
 * Changes a partner's active subscription in its current period; periods that are over are billed first.
 * @param prepare reads what the change is decided with; called again if the subscription was changed
 *   meanwhile
 * @throws ServiceError NOT_FOUND without an active subscription, CONFLICT after too many lost races, and
 *   whatever `prepare` throws
 */
export async function changeSubscription(
  deps: ChangeSubscriptionDeps,
  partnerId: string,
  prepare: (
    seen: SubscriptionDoc,
    at: Date,
  ) => Promise<(draft: Draft, held: SubscriptionDoc, terms: Terms) => SubscriptionDoc>,
): Promise<SubscriptionDoc> {
  const { models, commit, now } = deps;
  for (let race = 0; race < maxRaces; race++) {
    const at = new Date(now());
    const seen = await closePeriodsOf(deps, await findSubscription(models, partnerId), at);
    if (seen.status !== 'ACTIVE') continue;
    const change = await prepare(seen, at);
    const { _id: subscriptionId } = seen;
    const changed = await commit({
      partnerId,
      wallet: { mode: 'LIVE', partnerId },
      subscriptionIds: [subscriptionId],
      issuesInvoice: true,
      decide(draft, terms) {
        const held = draft.subscriptions.get(subscriptionId);
        if (held === undefined || !isAsSeen(held, seen)) return null;
        const after = change(draft, held, terms);
        draft.subscriptions.set(subscriptionId, after);
        return after;
      },
    });
    if (changed) return changed;
  }
  throw new ServiceError('CONFLICT', 'The subscription is being billed or changed. Try again.');
}

const isAsSeen = (held: SubscriptionDoc, seen: SubscriptionDoc): boolean =>
  held.status === 'ACTIVE' &&
  held.planVersionId === seen.planVersionId &&
  held.currentPeriodStart.getTime() === seen.currentPeriodStart.getTime();
