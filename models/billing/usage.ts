import type { ClientSession } from 'mongoose';
import { daysUntil } from '../../domain/billing.ts';
import type { DayUse } from '../../domain/draft.ts';
import { usagePeriodId } from '../../domain/usage-periods.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';

/** A billing period of a subscription, or, without one (null), a calendar month. */
export interface PeriodRef {
  subscriptionId: string | null;
  /** ISO 8601. */
  start: string;
}

/** The points counted in a period. */
export async function periodPoints(
  { usagePeriods }: Models,
  partnerId: string,
  { subscriptionId, start }: PeriodRef,
): Promise<number> {
  const _id = usagePeriodId(subscriptionId ?? partnerId, start);
  return (await usagePeriods.findOne({ partnerId, _id }, { points: 1 }))?.points ?? 0;
}

/** No period is longer. */
const longestMs = 366 * dayMs;

/**
 * The usage of each of the last `count` days, oldest first, today last, without days before the partner's
 * first usage. Reads the periods that can have one of these days, a dozen and those since.
 * @param at ISO 8601
 */
export async function usageOfLastDays(
  { usagePeriods }: Models,
  partnerId: string,
  at: string,
  count: number,
  session: ClientSession | null = null,
): Promise<DayUse[]> {
  const days = daysUntil(at, count);
  const start = new Date(dayStartMs(days[0] ?? at) - longestMs).toISOString();
  const findPeriods = () =>
    usagePeriods.find({ partnerId, start: { $gte: start } }).session(session);
  const findEarlier = () =>
    usagePeriods.exists({ partnerId, start: { $lt: start } }).session(session);
  // A session takes one read at a time.
  const [periods, earlier] = session
    ? [await findPeriods(), await findEarlier()]
    : await Promise.all([findPeriods(), findEarlier()]);
  const used = periods.flatMap((period) => Object.entries(period.days ?? {}));
  const place = days.findIndex((day) => earlier !== null || used.some(([first]) => first <= day));
  if (place === -1) return [];
  const useOn = Map.groupBy(used, ([day]) => day);
  return days.slice(place).map((day) => {
    const uses = (useOn.get(day) ?? []).map(([, use]) => use);
    return { points: sumOf(uses, 'points'), cents: sumOf(uses, 'cents') };
  });
}

const sumOf = (uses: readonly DayUse[], unit: keyof DayUse): number =>
  uses.reduce((sum, use) => sum + use[unit], 0);
