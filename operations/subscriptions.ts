import Joi from 'joi';
import {
  type Interval,
  intervals,
  periodContaining,
  planChange,
  termsOf,
} from '../domain/billing.ts';
import type { Draft } from '../domain/draft.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Terms } from '../domain/facts.ts';
import {
  type BillingDeps,
  closePeriodsOf,
  findPlanVersion,
  findSubscription,
  issueInvoice,
  partiesOf,
  prorationInvoice,
  requireCurrencyOf,
  requirePublished,
} from '../models/billing/index.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../models/schemas/billing.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { idField } from './fields.ts';
import { always, operation, sensitiveOperation, takesTwo } from './operation.ts';
import { changed as changedSince } from './proposals.ts';

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
  atWorst: { moves: 'the plan from its next period on', undo: 'subscription.change', two: null },
  approval: 'NONE',
  audit: ({ partnerId }, { _id: targetId }) => ({ targetId, partnerId }),

  /** @throws ServiceError CONFLICT after too many lost races */
  run: (deps: ChangeSubscriptionDeps, { partnerId }) =>
    changeSubscription(deps, partnerId, async () => (_draft, held) => ({
      ...held,
      endsAt: held.currentPeriodEnd,
      pendingPlanVersionId: null,
    })),

  completion: ({ endsAt }) => ({ details: { endsAt } }),
});

/**
 * Changes the plan. A cheaper plan applies from the next period; any other immediately, with an invoice for
 * the rest of the period. Choosing the current plan withdraws a pending change, and any choice withdraws a
 * cancellation. Periods that are over are billed first.
 */
export const changePlan = sensitiveOperation({
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
  atWorst: {
    moves: 'the new plan’s price, and overage',
    undo: 'invoice.void',
    two: takesTwo.always,
  },
  approval: {
    async shown({ models }, { partnerId, planVersionId }, { partner, subscription }) {
      const { planVersionId: fromPlanVersionId, interval, endsAt } = subscription;
      const from = await findPlanVersion(models, fromPlanVersionId);
      const keeps = planVersionId === fromPlanVersionId;
      const to = keeps ? from : await requirePublished(models, planVersionId);
      requireCurrencyOf(partner, to);
      return {
        partnerId,
        partner: partner.name,
        fromPlanVersionId,
        from: from.name,
        endsAt: endsAt?.toISOString() ?? null,
        ...planFacts(to, interval),
      };
    },
    needed: always,
  },
  audit: ({ partnerId, ...details }, { subscription: { _id: targetId } }) => ({
    targetId,
    partnerId,
    details,
  }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not priced in the
   *   partner's currency, CONFLICT after too many lost races, or for another plan than an operator was shown
   */
  async run(
    deps: ChangeSubscriptionDeps,
    { partnerId, planVersionId },
    { found: { partner }, shown },
  ) {
    const { models } = deps;
    const parties = await partiesOf(deps, partnerId);
    return await changeSubscription(deps, partnerId, async (seen, at) => {
      const from = await findPlanVersion(models, seen.planVersionId);
      const keeps = planVersionId === from._id;
      if (shown !== null && !keeps && shown.fromPlanVersionId !== from._id) {
        throw new ServiceError('CONFLICT', changedSince);
      }
      const to = keeps ? from : await requirePublished(models, planVersionId);
      requireCurrencyOf(partner, to);
      return (draft, held, terms) => {
        const kept = { ...held, endsAt: null, pendingPlanVersionId: null };
        if (keeps) return kept;
        const change = planChange(held, from, to, at);
        if (change.begins === 'NEXT_PERIOD') return { ...kept, pendingPlanVersionId: to._id };
        const { dueCents } = change;
        const proration = { changeId: newId('planChange'), dueCents, at };
        issueInvoice(draft, prorationInvoice(held, proration, from, to), parties, terms);
        return { ...kept, planVersionId: to._id, terms: change.terms };
      };
    });
  },
});

/** What a plan makes a partner owe. */
const planFacts = (
  { _id, name, currency, ...plan }: PlanVersionDoc,
  interval: Interval,
): Record<string, string | number> => ({
  planVersionId: _id,
  plan: name,
  interval,
  currency,
  priceCents: interval === 'MONTH' ? plan.monthlyPriceCents : plan.annualPriceCents,
  includedPoints: plan.includedPoints,
  overageRateMicrosPerPoint: plan.overageRateMicrosPerPoint,
});

/** Subscribes a partner to a published plan version. The first period begins now, and the partner owes for it. */
export const subscribe = sensitiveOperation({
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
  atWorst: { moves: 'the plan’s price, and overage', undo: 'invoice.void', two: takesTwo.always },
  approval: {
    async shown({ models }, { partnerId, planVersionId, interval }, partner) {
      const plan = await requirePublished(models, planVersionId);
      requireCurrencyOf(partner, plan);
      return { partnerId, partner: partner.name, ...planFacts(plan, interval) };
    },
    needed: always,
  },
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /**
   * An approval that is repeated finds the subscription that it made.
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not priced in the
   *   partner's currency, CONFLICT for a partner that has a subscription
   */
  async run(
    { models, now }: AuditLogDeps,
    { partnerId, planVersionId, interval },
    { found: partner, idOf },
  ): Promise<SubscriptionDoc> {
    const _id = idOf('subscription');
    const known = await models.subscriptions.findOne({ partnerId, _id });
    if (known) return known;
    const plan = await requirePublished(models, planVersionId);
    requireCurrencyOf(partner, plan);
    const anchorAt = new Date(now());
    const at = anchorAt.toISOString();
    const period = periodContaining(at, interval, at);
    const subscription: SubscriptionDoc = {
      _id,
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
