import { DateTime } from 'luxon';
import type { Interval } from './plan-arithmetic.ts';
import { dayMs } from './utc-days.ts';

/** From `start` (inclusive) to `end` (exclusive), both ISO 8601 in UTC. */
export interface Period {
  start: string;
  end: string;
}

const utc = { zone: 'utc' };
const unitOf = { MONTH: 'months', YEAR: 'years' } as const;

/**
 * The billing period that contains a given time. Periods are counted from the anchor in UTC:
 * anchored on the 31st, they start on the last day of a shorter month, and on the 31st again after
 * it.
 * @param anchorAt ISO 8601, when the subscription began
 * @param at ISO 8601
 * @throws RangeError if `at` is before the anchor
 */
export function periodContaining(anchorAt: string, interval: Interval, at: string): Period {
  const anchor = DateTime.fromISO(anchorAt, utc);
  const instant = DateTime.fromISO(at, utc);
  if (instant < anchor) throw new RangeError(`${at} is before the anchor ${anchorAt}`);
  const unit = unitOf[interval];
  // Always counted from the anchor: counted from the previous period, a 31st would be lost for
  // good.
  const startOf = (index: number) => anchor.plus({ [unit]: index });
  let index = Math.floor(instant.diff(anchor, unit).as(unit));
  while (startOf(index) > instant) index -= 1;
  while (startOf(index + 1) <= instant) index += 1;
  return { start: iso(startOf(index)), end: iso(startOf(index + 1)) };
}

/**
 * The calendar month, in UTC, that contains a given time: the period of a partner without a
 * subscription.
 */
export function calendarMonth(at: string): Period {
  const start = DateTime.fromISO(at, utc).startOf('month');
  return { start: iso(start), end: iso(start.plus({ months: 1 })) };
}

/** The UTC day of a given time, `yyyy-mm-dd`. */
export function dayOf(at: string): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The last `count` days, oldest first; the last one is the day of `at`. */
export function daysUntil(at: string, count: number): string[] {
  const lastMs = Date.parse(at);
  return Array.from({ length: count }, (_, index) =>
    new Date(lastMs - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

function iso(instant: DateTime): string {
  return instant.toJSDate().toISOString();
}
