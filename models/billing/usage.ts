import type { ClientSession } from 'mongoose';
import { daysUntil } from '../../domain/billing.ts';
import type { DayUse } from '../../domain/draft.ts';
import { usagePeriodId } from '../../domain/usage-periods.ts';
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
  return (await usagePeriods.findOne({ partnerId, _id }))?.points ?? 0;
}

const noUse: DayUse = { points: 0, cents: 0 };

/**
 * The usage of each of the last `count` days, oldest first, today last, without days before the partner's
 * first usage.
 * @param at ISO 8601
 */
export async function usageOfLastDays(
  { usageDays }: Models,
  partnerId: string,
  at: string,
  count: number,
  session: ClientSession | null = null,
): Promise<DayUse[]> {
  const days = daysUntil(at, count);
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const findUse = () =>
    usageDays.find({ partnerId, day: { $gte: from, $lte: to } }).session(session);
  const findFirst = () =>
    usageDays.findOne({ partnerId }, { day: 1 }).sort({ day: 1 }).session(session);
  // A session takes one read at a time.
  const [found, first] = session
    ? [await findUse(), await findFirst()]
    : await Promise.all([findUse(), findFirst()]);
  const useOn = new Map(found.map(({ day, points, cents }) => [day, { points, cents }]));
  const start = days.findIndex((day) => first !== null && day >= first.day);
  return start === -1 ? [] : days.slice(start).map((day) => useOn.get(day) ?? noUse);
}
