import { calendarMonth, type Period, periodContaining } from '../../domain/billing-periods.ts';
import { type PeriodTerms, termsOf } from '../../domain/plan-arithmetic.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { Models } from '../schemas/index.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';
import type { SubscriptionDoc } from '../schemas/subscription.ts';

const maxTogether = 100;

/** The subscription that is in force at an instant. */
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
    .sort({ anchorAt: -1 })
    .lean();
}

function inForce(newest: SubscriptionDoc | null, at: Date): SubscriptionDoc | null {
  return newest && (newest.endsAt === null || at < newest.endsAt) ? newest : null;
}

/** The subscription in force, if any, and the period that an instant falls into. */
export interface InForce {
  subscription: SubscriptionDoc | null;
  period: Period;
}

/** What is in force at an instant, and the period it falls into. @param at ISO 8601 */
export async function periodAt(models: Models, partnerId: string, at: string): Promise<InForce> {
  return periodOfSubscription(await subscriptionAt(models, partnerId, new Date(at)), at);
}

function periodOfSubscription(subscription: SubscriptionDoc | null, at: string) {
  const period =
    subscription === null
      ? calendarMonth(at)
      : periodContaining(subscription.anchorAt.toISOString(), subscription.interval, at);
  return { subscription, period };
}

/** The same for what is metered: instants of one partner that are asked about together share a read. */
export function createPeriods(models: Models) {
  const read = createBatchedReads<{ partnerId: string; at: string }, SubscriptionDoc | null>(
    { maxBatch: maxTogether },
    async (asked) => {
      const partnerId = asked[0]?.partnerId ?? '';
      const instants = asked.map(({ at }) => new Date(at));
      const last = new Date(Math.max(...instants.map(Number)));
      const newest = await newestBy(models, partnerId, last);
      return await Promise.all(
        instants.map(async (at) =>
          newest === null || newest.anchorAt <= at
            ? inForce(newest, at)
            : await subscriptionAt(models, partnerId, at),
        ),
      );
    },
  );
  return async (partnerId: string, at: string) =>
    periodOfSubscription(await read(partnerId, { partnerId, at }), at);
}

/** Where a partner stands: the subscription in force with its plan and its running period. */
export interface Standing extends InForce {
  planVersion: PlanVersionDoc | null;
  /** Without a subscription nothing is included, and nothing costs anything. */
  terms: PeriodTerms;
}

const noTerms: PeriodTerms = { priceCents: 0, includedPoints: 0, overageRateMicrosPerPoint: 0 };

/**
 * Reads the standing of a partner. It is that of the clock, also while the billing of the period
 * before is still to come.
 */
export async function standingAt(models: Models, partnerId: string, at: string): Promise<Standing> {
  const inForce = await periodAt(models, partnerId, at);
  const planVersionId = planOf(inForce);
  const planVersion = planVersionId && (await models.planVersions.findById(planVersionId).lean());
  return standingOf(inForce, planVersion || null);
}

/** The id of the plan version of the running period; null without a subscription. */
export function planOf({ subscription, period }: InForce): string | null {
  if (subscription === null) return null;
  return isBegun(subscription, period) ? subscription.planVersionId : nextPlanOf(subscription);
}

/**
 * The standing that comes of what is in force.
 * @param planVersion the one that `planOf` names
 * @throws Error where it is not there
 */
export function standingOf(inForce: InForce, planVersion: PlanVersionDoc | null): Standing {
  const { subscription, period } = inForce;
  if (subscription === null) return { ...inForce, planVersion: null, terms: noTerms };
  if (planVersion === null) throw new Error(`${subscription._id} has no plan version`);
  const terms = isBegun(subscription, period)
    ? subscription.terms
    : termsOf(planVersion, subscription.interval);
  return { ...inForce, planVersion, terms };
}

/** Whether the billing of the period before has made the running one the subscription's. */
function isBegun({ currentPeriodStart }: SubscriptionDoc, { start }: Period): boolean {
  return currentPeriodStart.toISOString() === start;
}

/** The plan version that the next period begins with. */
export function nextPlanOf({ pendingPlanVersionId, planVersionId }: SubscriptionDoc): string {
  return pendingPlanVersionId ?? planVersionId;
}

/** How many requests a minute a partner has: its plan version's, else its own (contract, Rate limits). */
export async function apiRateLimitPerMinuteOf(
  models: Models,
  partner: { _id: string; apiRateLimitPerMinute: number },
  at: string,
): Promise<number> {
  const { planVersion } = await standingAt(models, partner._id, at);
  return planVersion?.apiRateLimitPerMinute ?? partner.apiRateLimitPerMinute;
}
