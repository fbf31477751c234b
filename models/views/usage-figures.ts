import { type PeriodTerms, type PeriodUse, useOf } from '../../domain/plan-arithmetic.ts';
import {
  basisWindowDays,
  type Projection,
  project,
  type UsageSoFar,
} from '../../domain/projection.ts';
import { type Recommendation, recommend } from '../../domain/recommendation.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { WalletRef } from '../../domain/wallet.ts';
import {
  type BillingStatus,
  type PublishedPlans,
  periodPoints,
  toOffer,
  usageOfLastDays,
} from '../billing/index.ts';
import { walletBalances } from '../ledger/index.ts';
import type { Models } from '../schemas/index.ts';

export interface UsageFigures {
  billingStatus: BillingStatus;
  terms: PeriodTerms;
  /** Counted in the current period. */
  points: number;
  counted: PeriodUse;
  rewardLiabilityCents: number;
  projection: Projection;
  recommendation: Recommendation;
}

/**
 * A partner's usage in the current period (docs/contract.md, Reads). Reads only running totals, so that
 * it costs the same with ten events as with ten million. TEST is not metered: its period is the
 * subscription's, and its usage is 0.
 * @param wallet the partner's, or in TEST the integration's
 * @param billingStatus the partner's at this instant
 * @param at ISO 8601
 */
export async function readUsageFigures(
  deps: { models: Models; publishedPlans: PublishedPlans },
  wallet: WalletRef,
  billingStatus: BillingStatus,
  at: string,
): Promise<UsageFigures> {
  const { models, publishedPlans } = deps;
  const { partnerId, mode } = wallet;
  const [use, balances, plans] = await Promise.all([
    mode === 'LIVE' ? readUse(models, partnerId, billingStatus, at) : unused(billingStatus, at),
    walletBalances(models, wallet),
    publishedPlans(),
  ]);
  const { subscription, planVersion, terms } = billingStatus;
  const projection = project(use, terms);
  return {
    billingStatus,
    terms,
    points: use.points,
    counted: useOf(use.points, terms),
    rewardLiabilityCents: balances.reservedCents + balances.owedCents,
    projection,
    recommendation:
      mode === 'LIVE'
        ? recommend(
            planVersion && toOffer(planVersion),
            plans.map(toOffer),
            subscription?.interval ?? 'MONTH',
            projection.points,
          )
        : notMetered,
  };
}

const notMetered = {
  action: 'STAY',
  planVersionId: null,
  estimatedSavingsCents: 0,
  reason: 'TEST events are not metered; use a LIVE credential.',
} as const;

async function readUse(
  models: Models,
  partnerId: string,
  billingStatus: BillingStatus,
  at: string,
): Promise<UsageSoFar> {
  const { subscription, period } = billingStatus;
  const ref = { subscriptionId: subscription?._id ?? null, start: period.start };
  const [points, days] = await Promise.all([
    periodPoints(models, partnerId, ref),
    usageOfLastDays(models, partnerId, at, basisWindowDays + 1),
  ]);
  return {
    ...unused(billingStatus, at),
    points,
    completeDays: days.slice(0, -1).map((day) => day.points),
    todayPoints: days.at(-1)?.points ?? 0,
  };
}

function unused({ period }: BillingStatus, at: string): UsageSoFar {
  const atMs = Date.parse(at);
  return {
    points: 0,
    completeDays: [],
    todayPoints: 0,
    todayShare: (atMs % dayMs) / dayMs,
    daysLeft: (Date.parse(period.end) - atMs) / dayMs,
  };
}
