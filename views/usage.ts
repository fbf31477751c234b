import {
  calendarMonth,
  dayOf,
  daysUntil,
  type PeriodTerms,
  type PeriodUse,
  useOf,
} from '../domain/billing.ts';
import type { WalletRef } from '../domain/postings.ts';
import { claimedStates } from '../domain/reward.ts';
import {
  basisWindowDays,
  type Projection,
  project,
  type Recommendation,
  recommend,
  type UsageSoFar,
} from '../domain/usage.ts';
import { dayMs, dayStartMs } from '../domain/utc-days.ts';
import {
  type BillingStatus,
  billingStatusAt,
  createPublishedPlans,
  type PublishedPlans,
  periodPoints,
  toOffer,
  usageOfLastDays,
} from '../models/billing/index.ts';
import { walletBalances } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { TimedDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readRefusals } from './requests.ts';
import { readRewardTotals } from './rewards.ts';

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
 * A partner's usage in the current period (docs/integrate/reconciliation.md, Reads). Reads only running totals, so that
 * it costs the same with ten events as with ten million. TEST is not metered: its period is the
 * subscription's, and its usage is 0.
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
            projection,
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

/** Points and cost of the rewards funded on a UTC day, without those taken back. */
export interface UsageDay {
  /** `yyyy-mm-dd` */
  day: string;
  points: number;
  cents: number;
}

/**
 * LIVE usage by day, oldest first, ending with today. Days without usage are included. TEST is not
 * metered.
 * @param at ISO 8601
 * @param days number of days, at least 1; each costs an index entry
 */
export async function readUsageSeries(
  models: Models,
  partnerId: PartnerScope,
  at: string,
  days: number,
): Promise<UsageDay[]> {
  const use = await usageOfLastDays(models, partnerId, at, days);
  // `usageOfLastDays` leaves out the days before the first usage, so both lists are aligned at their ends.
  return daysUntil(at, days).map((day, index) => ({
    day,
    ...(use.at(index - days) ?? { points: 0, cents: 0 }),
  }));
}

const chartDays = 30;

/** A partner's LIVE usage of its plan: the current period's, and by day. */
export async function readUsage(deps: ViewDeps, partnerId: PartnerScope) {
  const { models, now } = deps;
  const at = new Date(now()).toISOString();
  const billingStatus = await billingStatusAt(models, partnerId, at);
  const publishedPlans = createPublishedPlans(models, 0);
  const wallet = { mode: 'LIVE', partnerId } as const;
  const [figures, days] = await Promise.all([
    readUsageFigures({ ...deps, publishedPlans }, wallet, billingStatus, at),
    readUsageSeries(deps.models, partnerId, at, chartDays),
  ]);
  return { figures, days };
}

export type UsageOfPlan = Awaited<ReturnType<typeof readUsage>>;

/** LIVE figures from the first of a month to a day of it, inclusive. */
export interface MonthSpan {
  /** UTC days, `yyyy-mm-dd`. */
  from: string;
  to: string;
  /** One for every day, oldest first. */
  days: UsageDay[];
  /** Of rewards funded in this period, without those taken back. */
  points: number;
  cents: number;
  /** Rewards created in this period. */
  purchases: number;
  /** Of these, the rewards that are claimed now. */
  claimed: number;
  /** Refused requests. */
  refusals: number;
}

/**
 * The month so far, and the previous month up to the same day or to its last day. Reads running totals,
 * a few index entries per day, so that it costs the same however many events there are.
 */
export async function readMonths(
  deps: TimedDeps,
  partnerId: PartnerScope,
): Promise<{ now: MonthSpan; before: MonthSpan }> {
  const today = dayOf(new Date(deps.now()).toISOString());
  const start = dayOf(calendarMonth(today).start);
  const lastMs = dayStartMs(start) - dayMs;
  const previousStart = dayOf(calendarMonth(new Date(lastMs).toISOString()).start);
  const sameDayMs = dayStartMs(previousStart) + dayStartMs(today) - dayStartMs(start);
  const previousTo = dayOf(new Date(Math.min(sameDayMs, lastMs)).toISOString());
  const count = 1 + (dayStartMs(today) - dayStartMs(previousStart)) / dayMs;
  const series = await readUsageSeries(deps.models, partnerId, `${today}T00:00:00Z`, count);
  const [now, before] = await Promise.all([
    readSpan(deps, partnerId, { from: start, to: today }, series),
    readSpan(deps, partnerId, { from: previousStart, to: previousTo }, series),
  ]);
  return { now, before };
}

async function readSpan(
  deps: TimedDeps,
  partnerId: PartnerScope,
  { from, to }: Pick<MonthSpan, 'from' | 'to'>,
  series: readonly UsageDay[],
): Promise<MonthSpan> {
  const [totals, refusals] = await Promise.all([
    readRewardTotals(deps, partnerId, { mode: 'LIVE', fromDay: from, toDay: to }),
    readRefusals(deps.models, { partnerId, mode: 'LIVE' }, { from, to }),
  ]);
  const days = series.filter(({ day }) => day >= from && day <= to);
  const claimed = totals.filter(({ state }) => claimedStates.includes(state));
  return {
    from,
    to,
    days,
    points: sum(days.map((one) => one.points)),
    cents: sum(days.map((one) => one.cents)),
    purchases: sum(totals.map(({ rewards }) => rewards)),
    claimed: sum(claimed.map(({ rewards }) => rewards)),
    refusals: sum(refusals.map(({ count }) => count)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
