import { periodContaining } from '../../domain/billing-periods.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Interval, termsOf } from '../../domain/plan-arithmetic.ts';
import { newId } from '../../platform/ids.ts';
import { insertOnce } from '../insert-once.ts';
import type { SubscriptionDoc } from '../schemas/subscription.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner } from './find.ts';
import { requireCurrencyOf, requirePublished } from './find-billing.ts';

/**
 * Subscribes a partner to a published plan version. The first period begins now.
 * @throws ServiceError NOT_FOUND without such a partner, VALIDATION_FAILED for a plan version that is
 *   not published or not priced in the partner's currency, CONFLICT for a partner that has a subscription
 */
export async function subscribe(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { partnerId, planVersionId, interval }: SubscribeFields,
): Promise<SubscriptionDoc> {
  const partner = await findPartner(models, partnerId);
  const plan = await requirePublished(models, planVersionId);
  requireCurrencyOf(partner, plan);
  const anchorAt = new Date(now());
  const at = anchorAt.toISOString();
  const period = periodContaining(at, interval, at);
  const subscription: SubscriptionDoc = {
    _id: newId('subscription'),
    partnerId,
    planVersionId,
    interval,
    status: 'ACTIVE',
    anchorAt,
    endsAt: null,
    currentPeriodStart: new Date(period.start),
    currentPeriodEnd: new Date(period.end),
    terms: termsOf(plan, interval),
    closing: false,
    pendingPlanVersionId: null,
    proration: null,
    createdAt: anchorAt,
  };
  if (await insertOnce(() => models.subscriptions.create(subscription))) return subscription;
  throw new ServiceError(
    'CONFLICT',
    `${partnerId} has a subscription already. Change its plan instead.`,
  );
}

export interface SubscribeFields {
  partnerId: string;
  planVersionId: string;
  interval: Interval;
}
