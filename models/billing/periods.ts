import { periodContaining, termsOf } from '../../domain/billing.ts';
import { invalidFields, ServiceError } from '../../domain/errors.ts';
import { usagePeriodId } from '../../domain/usage-periods.ts';
import { type Config, defaultPaymentReferencePrefix } from '../../platform/config.ts';
import type { Commit } from '../fact.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { issueInvoice, type Parties, partyOf, periodInvoice, periodLines } from './invoices.ts';
import { nextPlanOf } from './subscriptions.ts';

export interface BillingDeps {
  models: Models;
  commit: Commit;
  config?: Pick<Config, 'issuer' | 'vat' | 'paymentReferencePrefix'>;
}

/**
 * Closes and bills all periods of a subscription that are over, oldest first, up to the one that contains
 * `at`, each by one commit. Safe to repeat, also concurrently.
 * @param closed called for each period that was closed
 * @returns the subscription as stored afterwards
 */
export async function closePeriodsOf(
  deps: BillingDeps,
  subscription: SubscriptionDoc,
  at: Date,
  closed: () => void = () => undefined,
): Promise<SubscriptionDoc> {
  let current = subscription;
  while (current.status === 'ACTIVE' && current.currentPeriodEnd <= at) {
    const next = await closePeriod(deps, current, at);
    if (next.currentPeriodStart > current.currentPeriodStart || next.status !== 'ACTIVE') closed();
    current = next;
  }
  return current;
}

/** What is named on a partner's invoices. */
export async function partiesOf(
  { models, config }: BillingDeps,
  partnerId: string,
): Promise<Parties> {
  const partner = await models.partners.findById(partnerId).orFail();
  return {
    issuer: config?.issuer ?? null,
    billedTo: partyOf(partner),
    vat: config?.vat ?? null,
    paymentReferencePrefix: config?.paymentReferencePrefix ?? defaultPaymentReferencePrefix,
  };
}

/** Bills the period that was read, and begins the next, unless another process has. */
async function closePeriod(
  deps: BillingDeps,
  seen: SubscriptionDoc,
  at: Date,
): Promise<SubscriptionDoc> {
  const { models, commit } = deps;
  const { _id: subscriptionId, partnerId } = seen;
  const parties = await partiesOf(deps, partnerId);
  const plans = new Map<string, PlanVersionDoc>();
  for (const planVersionId of [seen.planVersionId, nextPlanOf(seen)]) {
    plans.set(planVersionId, await models.planVersions.findById(planVersionId).orFail());
  }
  const periodId = usagePeriodId(subscriptionId, seen.currentPeriodStart.toISOString());
  return await commit({
    partnerId,
    wallet: { mode: 'LIVE', partnerId },
    subscriptionIds: [subscriptionId],
    periodIds: [periodId],
    issuesInvoice: true,
    decide(draft, terms) {
      const held = draft.subscriptions.get(subscriptionId);
      if (held === undefined) throw new Error(`there is no ${subscriptionId}`);
      const plan = plans.get(held.planVersionId);
      const nextPlan = plans.get(nextPlanOf(held));
      const isSame = held.currentPeriodStart.getTime() === seen.currentPeriodStart.getTime();
      // Another process has billed it, or changed its plan: the caller looks again.
      if (!isSame || held.status !== 'ACTIVE' || !plan || !nextPlan) return held;
      const start = held.currentPeriodStart.toISOString();
      const points = draft.periods.get(periodId)?.points ?? 0;
      const billedOn = held.terms;
      draft.periods.set(periodId, {
        _id: periodId,
        partnerId,
        subscriptionId,
        start,
        points,
        billedOn,
      });
      const lines = periodLines(held.terms, plan, points);
      const chargedCents = lines.reduce((total, { amountCents }) => total + amountCents, 0);
      const usedCents = Math.min(chargedCents, held.creditCents);
      issueInvoice(draft, periodInvoice(held, plan, lines, usedCents, at), parties, terms);
      const creditCents = held.creditCents - usedCents;
      const next = { ...held, creditCents, ...afterPeriod(held, nextPlan) };
      draft.subscriptions.set(subscriptionId, next);
      return next;
    },
  });
}

/** The next period or, if the subscription was cancelled, its end. */
function afterPeriod(
  { anchorAt, endsAt, interval, currentPeriodEnd }: SubscriptionDoc,
  plan: PlanVersionDoc,
): Partial<SubscriptionDoc> {
  if (endsAt !== null && endsAt <= currentPeriodEnd) return { status: 'CANCELLED' };
  const next = periodContaining(anchorAt.toISOString(), interval, currentPeriodEnd.toISOString());
  return {
    planVersionId: plan._id,
    pendingPlanVersionId: null,
    terms: termsOf(plan, interval),
    currentPeriodStart: new Date(next.start),
    currentPeriodEnd: new Date(next.end),
  };
}

/** @throws ServiceError NOT_FOUND */
export async function findPlanVersion(
  models: Models,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  const planVersion = await models.planVersions.findById(planVersionId);
  if (planVersion) return planVersion;
  throw new ServiceError('NOT_FOUND', `There is no plan version ${JSON.stringify(planVersionId)}.`);
}

/**
 * Finds a plan version that a partner can take.
 * @throws ServiceError VALIDATION_FAILED if it does not exist or is not published
 */
export async function requirePublished(
  models: Models,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  const planVersion = await models.planVersions.findById(planVersionId);
  if (planVersion?.status === 'PUBLISHED') return planVersion;
  throw invalidFields({
    planVersionId: `planVersionId must name a published plan version; ${JSON.stringify(planVersionId)} does not`,
  });
}

/**
 * Partners pay for their plan in their own currency.
 * @throws ServiceError VALIDATION_FAILED if the plan has another
 */
export function requireCurrencyOf(
  { currency }: Pick<PartnerDoc, 'currency'>,
  plan: Pick<PlanVersionDoc, 'name' | 'currency'>,
): void {
  if (plan.currency === currency) return;
  throw invalidFields({
    planVersionId: `planVersionId: ${plan.name} is priced in ${plan.currency}, the partner's currency is ${currency}`,
  });
}

/** @throws ServiceError NOT_FOUND if the partner has no active subscription */
export async function findSubscription(
  models: Models,
  partnerId: string,
): Promise<SubscriptionDoc> {
  const subscription = await models.subscriptions.findOne({ partnerId, status: 'ACTIVE' });
  if (subscription) return subscription;
  throw new ServiceError('NOT_FOUND', `${JSON.stringify(partnerId)} has no active subscription.`);
}
