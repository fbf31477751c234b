import {
  calendarMonth,
  type Period,
  type PeriodTerms,
  periodContaining,
  termsOf,
} from '../../domain/billing.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';

/** The subscription in force at a given time. */
async function subscriptionAt(
  models: Models,
  partnerId: string,
  at: Date,
): Promise<SubscriptionDoc | null> {
  return inForce(await newestBy(models, partnerId, at), at);
}

async function newestBy(models: Models, partnerId: string, at: Date) {
  return await models.subscriptions
    .findOne({ partnerId, anchorAt: { $lte: at } })
    .sort({ anchorAt: -1 });
}

function inForce(newest: SubscriptionDoc | null, at: Date): SubscriptionDoc | null {
  return newest && (newest.endsAt === null || at < newest.endsAt) ? newest : null;
}

/** The subscription in force at a given time, if any, and the period that contains it. */
interface InForce {
  subscription: SubscriptionDoc | null;
  period: Period;
}

function periodOfSubscription(subscription: SubscriptionDoc | null, at: string) {
  const period =
    subscription === null
      ? calendarMonth(at)
      : periodContaining(subscription.anchorAt.toISOString(), subscription.interval, at);
  return { subscription, period };
}

/** A partner's subscription in force, with its plan and running period. */
export interface BillingStatus extends InForce {
  planVersion: PlanVersionDoc | null;
  /** Without a subscription, nothing is included and nothing costs anything. */
  terms: PeriodTerms;
}

const noTerms: PeriodTerms = {
  priceCents: 0,
  includedPoints: 0,
  overageRateMicrosPerPoint: 0,
  currency: 'USD',
};

/**
 * Reads the billing status of a partner. It follows the clock, even if the previous period is still
 * to be billed.
 */
export async function billingStatusAt(
  models: Models,
  partnerId: string,
  at: string,
): Promise<BillingStatus> {
  const subscription = await subscriptionAt(models, partnerId, new Date(at));
  const { period } = periodOfSubscription(subscription, at);
  if (subscription === null) return { subscription, period, planVersion: null, terms: noTerms };
  const begun = isBegun(subscription, period);
  const planVersion = await models.planVersions
    .findById(begun ? subscription.planVersionId : nextPlanOf(subscription))
    .orFail();
  const terms = begun ? subscription.terms : termsOf(planVersion, subscription.interval);
  return { subscription, period, planVersion, terms };
}

/**
 * Returns a status read earlier while its period and subscription last, otherwise reads a new one.
 */
export async function billingStatusFrom(
  models: Models,
  known: BillingStatus,
  partnerId: string,
  at: string,
): Promise<BillingStatus> {
  const { period, subscription } = known;
  const holds =
    period.start <= at &&
    at < period.end &&
    (subscription === null || inForce(subscription, new Date(at)) !== null);
  return holds ? known : await billingStatusAt(models, partnerId, at);
}

/**
 * Whether the previous period has been billed, which makes the running one the subscription's
 * current period.
 */
function isBegun({ currentPeriodStart }: SubscriptionDoc, { start }: Period): boolean {
  return currentPeriodStart.toISOString() === start;
}

/** The plan version that the next period begins with. */
export function nextPlanOf({ pendingPlanVersionId, planVersionId }: SubscriptionDoc): string {
  return pendingPlanVersionId ?? planVersionId;
}

/**
 * A partner's rate limit in requests per minute: that of its plan version, otherwise its own
 * (docs/integrate/requests.md, Rate limits).
 */
export function apiRateLimitPerMinuteOf(
  { planVersion }: BillingStatus,
  partner: { apiRateLimitPerMinute: number },
): number {
  return planVersion?.apiRateLimitPerMinute ?? partner.apiRateLimitPerMinute;
}
