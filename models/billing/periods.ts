import { periodContaining, termsOf } from '../../domain/billing.ts';
import { invalidFields, ServiceError } from '../../domain/errors.ts';
import type { Ledger } from '../ledger/index.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import {
  type IssuingDeps,
  issueInvoice,
  periodInvoice,
  periodInvoiceId,
  periodLines,
  postInvoice,
  prorationInvoice,
} from './invoices.ts';
import { nextPlanOf } from './subscriptions.ts';
import type { Usage } from './usage.ts';

export interface BillingDeps extends IssuingDeps {
  ledger: Ledger;
  usage: Usage;
}

/**
 * Closes and bills all periods of a subscription that are over, oldest first, up to the one that
 * contains `at`. Every step may be repeated, also by another process; what was begun before is
 * finished first.
 * @param closed called for each period that was closed
 * @returns the subscription as stored afterwards
 */
export async function closePeriodsOf(
  deps: BillingDeps,
  subscription: SubscriptionDoc,
  at: Date,
  closed: () => void = () => undefined,
): Promise<SubscriptionDoc> {
  let current = await settleProration(deps, subscription);
  while (current.status === 'ACTIVE' && current.currentPeriodEnd <= at) {
    const next = await closePeriod(deps, current, at);
    if (next.currentPeriodStart > current.currentPeriodStart || next.status !== 'ACTIVE') closed();
    current = next;
  }
  return current;
}

/** Bills the current period and begins the next, continuing if another process has begun either. */
async function closePeriod(
  deps: BillingDeps,
  subscription: SubscriptionDoc,
  at: Date,
): Promise<SubscriptionDoc> {
  const { models, ledger, usage } = deps;
  const { _id: subscriptionId, partnerId, currentPeriodStart } = subscription;
  const asRead = { partnerId, _id: subscriptionId, currentPeriodStart };
  // Marked before the points are read: a plan changed during billing would change what is billed.
  await models.subscriptions.updateOne(
    { ...asRead, status: 'ACTIVE', closing: false, proration: null },
    { $set: { closing: true } },
  );
  const held = await reread(models, subscription);
  const isHeld = held.closing && held.currentPeriodStart.getTime() === currentPeriodStart.getTime();
  if (!isHeld) return await settleProration(deps, held);

  const plan = await models.planVersions.findById(held.planVersionId).orFail();
  const period = { partnerId, subscriptionId, start: currentPeriodStart.toISOString() };
  const points = await usage.closePeriod(period, at.toISOString());
  const lines = periodLines(held.terms, plan, points);
  const chargedCents = lines.reduce((total, { amountCents }) => total + amountCents, 0);
  const invoiceId = periodInvoiceId(held);
  const creditCents = await usage.useCredit(period, invoiceId, chargedCents, at.toISOString());
  const invoice = await issueInvoice(deps, periodInvoice(held, plan, lines, creditCents, at));
  await postInvoice(ledger, invoice);

  await models.subscriptions.updateOne(
    { ...asRead, closing: true },
    { $set: { closing: false, ...(await afterPeriod(models, held)) } },
  );
  return await reread(models, held);
}

/**
 * The changes to a subscription when its period has been billed: the next period or, if cancelled,
 * its end.
 */
async function afterPeriod(
  models: Models,
  subscription: SubscriptionDoc,
): Promise<Partial<SubscriptionDoc>> {
  const { anchorAt, endsAt, interval, currentPeriodEnd } = subscription;
  if (endsAt !== null && endsAt <= currentPeriodEnd) return { status: 'CANCELLED' };
  const plan = await models.planVersions.findById(nextPlanOf(subscription)).orFail();
  const next = periodContaining(anchorAt.toISOString(), interval, currentPeriodEnd.toISOString());
  return {
    planVersionId: plan._id,
    pendingPlanVersionId: null,
    terms: termsOf(plan, interval),
    currentPeriodStart: new Date(next.start),
    currentPeriodEnd: new Date(next.end),
  };
}

/** Issues the invoice of an upgrade, if it is still missing. */
export async function settleProration(
  deps: BillingDeps,
  subscription: SubscriptionDoc,
): Promise<SubscriptionDoc> {
  const { models, ledger } = deps;
  const { _id, partnerId, proration } = subscription;
  if (proration === null) return subscription;
  const [from, to] = await Promise.all(
    [proration.fromPlanVersionId, proration.toPlanVersionId].map((planVersionId) =>
      models.planVersions.findById(planVersionId).orFail(),
    ),
  );
  if (!from || !to) throw new Error('the upgrade does not name two plan versions');
  const invoice = await issueInvoice(deps, prorationInvoice(subscription, proration, from, to));
  await postInvoice(ledger, invoice);
  await models.subscriptions.updateOne(
    { partnerId, _id, 'proration.changeId': proration.changeId },
    { $set: { proration: null } },
  );
  return await reread(models, subscription);
}

async function reread(models: Models, { partnerId, _id }: SubscriptionDoc) {
  return await models.subscriptions.findOne({ partnerId, _id }).orFail();
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
