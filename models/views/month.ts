import { calendarMonth, dayOf } from '../../domain/billing-periods.ts';
import { claimedStatuses } from '../../domain/reward-states.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import type { DashboardDeps } from './dashboard.ts';
import { readRewardTotals } from './partner-rewards.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readRefusals } from './refusals.ts';
import { readUsageSeries, type UsageDay } from './usage-series.ts';

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
  deps: DashboardDeps,
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
  deps: DashboardDeps,
  partnerId: PartnerScope,
  { from, to }: Pick<MonthSpan, 'from' | 'to'>,
  series: readonly UsageDay[],
): Promise<MonthSpan> {
  const [totals, refusals] = await Promise.all([
    readRewardTotals(deps, partnerId, { mode: 'LIVE', fromDay: from, toDay: to }),
    readRefusals(deps.models, { partnerId, mode: 'LIVE' }, { from, to }),
  ]);
  const days = series.filter(({ day }) => day >= from && day <= to);
  const claimed = totals.filter(({ status }) => claimedStatuses.includes(status));
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
