import Joi from 'joi';
import {
  type Interval,
  intervals,
  periodContaining,
  planChange,
  termsOf,
} from '../domain/billing.ts';
import { ServiceError } from '../domain/errors.ts';
import {
  type BillingDeps,
  closePeriodsOf,
  findPlanVersion,
  findSubscription,
  requireCurrencyOf,
  requirePublished,
  settleProration,
} from '../models/billing/index.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../models/schemas/billing.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { AuditDeps, OperationDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

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

/**
 * Cancels a subscription at the end of its period, whose invoice is the last. Cancelling it again changes
 * nothing.
 */
export const cancelSubscription = operation({
  name: 'subscription.cancel',
  permission: { operator: 'subscription.cancel', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  async find({ models }, { partnerId }) {
    await findPartner(models, partnerId);
    return await findSubscription(models, partnerId);
  },
  approval: 'NONE',
  audit: ({ partnerId }, { _id: targetId }) => ({ targetId, partnerId }),

  /** @throws ServiceError CONFLICT after too many lost races */
  run: (deps: ChangeSubscriptionDeps, { partnerId }) =>
    changeSubscription(deps, partnerId, ({ currentPeriodEnd }) => ({
      set: { endsAt: currentPeriodEnd, pendingPlanVersionId: null },
    })),

  completion: ({ endsAt }) => ({ details: { endsAt } }),
});

/**
 * Changes the plan. A cheaper plan applies from the next period; any other immediately, with an invoice for
 * the rest of the period. Choosing the current plan withdraws a pending change, and any choice withdraws a
 * cancellation. Periods that are over are billed first.
 */
export const changePlan = operation({
  name: 'subscription.change',
  permission: { operator: 'subscription.change', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; planVersionId: string }>({
    partnerId: idField,
    planVersionId: Joi.string().max(64).required(),
  }),
  find: async ({ models }, { partnerId }) => ({
    partner: await findPartner(models, partnerId),
    subscription: await findSubscription(models, partnerId),
  }),
  approval: 'NONE',
  audit: ({ partnerId, ...details }, { subscription: { _id: targetId } }) => ({
    targetId,
    partnerId,
    details,
  }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not priced in the
   *   partner's currency, CONFLICT after too many lost races
   */
  async run(deps: ChangeSubscriptionDeps, { partnerId, planVersionId }, { found: { partner } }) {
    const { models } = deps;
    const changed = await changeSubscription(deps, partnerId, async (subscription, at) => {
      const from = await findPlanVersion(models, subscription.planVersionId);
      const keeps = planVersionId === from._id;
      const to = keeps ? from : await requirePublished(models, planVersionId);
      requireCurrencyOf(partner, to);
      return {
        onlyIf: { planVersionId: from._id, proration: null },
        set: { endsAt: null, ...(keeps ? keep : changeTo(subscription, from, to, at)) },
      };
    });
    return await settleProration(deps, changed);
  },
});

const keep: Partial<SubscriptionDoc> = { pendingPlanVersionId: null };

function changeTo(
  subscription: SubscriptionDoc,
  from: PlanVersionDoc,
  to: PlanVersionDoc,
  at: Date,
): Partial<SubscriptionDoc> {
  const change = planChange(subscription, from, to, at);
  if (change.begins === 'NEXT_PERIOD') return { pendingPlanVersionId: to._id };
  return {
    planVersionId: to._id,
    pendingPlanVersionId: null,
    terms: change.terms,
    proration: {
      changeId: newId('planChange'),
      fromPlanVersionId: from._id,
      toPlanVersionId: to._id,
      dueCents: change.dueCents,
      at,
    },
  };
}

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
      closing: false,
      pendingPlanVersionId: null,
      proration: null,
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
