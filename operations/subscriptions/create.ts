import Joi from 'joi';
import { periodContaining } from '../../domain/billing-periods.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Interval, intervals, termsOf } from '../../domain/plan-arithmetic.ts';
import { requireCurrencyOf, requirePublished } from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { SubscriptionDoc } from '../../models/schemas/billing.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Subscribes a partner to a published plan version. The first period begins now. */
export const subscribe = operation({
  name: 'subscription.create',
  permission: { operator: 'subscription.create', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; planVersionId: string; interval: Interval }>({
    partnerId: idField,
    planVersionId: Joi.string().max(64).required(),
    interval: Joi.string()
      .valid(...intervals)
      .default('MONTH'),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not priced in the
   *   partner's currency, CONFLICT for a partner that has a subscription
   */
  async run(
    { models, now }: AuditDeps,
    { partnerId, planVersionId, interval },
    { found: partner },
  ): Promise<SubscriptionDoc> {
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
      creditCents: 0,
      pendingPlanVersionId: null,
      createdAt: anchorAt,
    };
    if (await insertOnce(() => models.subscriptions.create(subscription))) return subscription;
    throw new ServiceError(
      'CONFLICT',
      `${partnerId} already has a subscription. Change its plan instead.`,
    );
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
