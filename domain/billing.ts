import { DateTime } from 'luxon';
import { microsPerMinor } from './currencies.ts';
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

/**
 * What plans cost. Integers only: cents, points, and micros of the currency unit (docs/integrate/reconciliation.md, Reads).
 */

export const intervals = ['MONTH', 'YEAR'] as const;
export type Interval = (typeof intervals)[number];

/** What a plan version includes and costs. */
export interface PlanPricing {
  monthlyPriceCents: number;
  annualPriceCents: number;
  /** Per month; a year includes twelve times as many. */
  includedPoints: number;
  overageRateMicrosPerPoint: number;
  currency: string;
}

/** What one billing period of a subscription includes and costs. */
export interface PeriodTerms {
  /** What the invoice of the period charges for the plan. */
  priceCents: number;
  includedPoints: number;
  overageRateMicrosPerPoint: number;
  /** The plan's. */
  currency: string;
}

export interface PeriodUse {
  includedPointsConsumed: number;
  overagePoints: number;
  overageCents: number;
}

const monthsPerYear = 12;

/** The terms of a whole period on a plan. */
export function termsOf(plan: PlanPricing, interval: Interval): PeriodTerms {
  const isYear = interval === 'YEAR';
  return {
    priceCents: isYear ? plan.annualPriceCents : plan.monthlyPriceCents,
    includedPoints: plan.includedPoints * (isYear ? monthsPerYear : 1),
    overageRateMicrosPerPoint: plan.overageRateMicrosPerPoint,
    currency: plan.currency,
  };
}

/**
 * Splits points into included and overage points. The overage of a period is rounded down to the
 * cent once, as a whole, in the partner's favor.
 * @param points counted in the period, not negative
 * @throws RangeError beyond the safe integers
 */
export function useOf(
  points: number,
  { includedPoints, overageRateMicrosPerPoint, currency }: Omit<PeriodTerms, 'priceCents'>,
): PeriodUse {
  const includedPointsConsumed = Math.min(points, includedPoints);
  const overagePoints = points - includedPointsConsumed;
  return {
    includedPointsConsumed,
    overagePoints,
    overageCents: safe(
      (BigInt(overagePoints) * BigInt(overageRateMicrosPerPoint)) / microsPerMinor(currency),
    ),
  };
}

/**
 * What a partner pays for a period: price and overage.
 * @throws RangeError beyond the safe integers
 */
export function costCents(points: number, terms: PeriodTerms): number {
  return safe(BigInt(terms.priceCents) + BigInt(useOf(points, terms).overageCents));
}

/**
 * Prorates an upgrade in the middle of a period. Price, allowance and overage rate all change by
 * the share of the period that remains, so that a late upgrade cannot reprice earlier use. The
 * price difference is due immediately, rounded down to the cent; the invoice of the period still
 * charges the price it began with. The allowance is rounded up and the rate down, in the partner's
 * favor.
 * @param terms of the running period, including earlier upgrades
 * @param from a whole period on the previous plan
 * @param to a whole period on the new plan, which is no cheaper
 * @param leftMs what remains of the period, which lasts `lengthMs`
 */
export function prorate(
  terms: PeriodTerms,
  from: PeriodTerms,
  to: PeriodTerms,
  { leftMs, lengthMs }: { leftMs: number; lengthMs: number },
): { dueCents: number; terms: PeriodTerms } {
  const left = BigInt(Math.min(Math.max(leftMs, 0), lengthMs));
  const length = BigInt(lengthMs);
  const share = (name: Exclude<keyof PeriodTerms, 'currency'>) =>
    BigInt(to[name] - from[name]) * left;
  const rate = BigInt(terms.overageRateMicrosPerPoint);
  return {
    dueCents: safe(floorDiv(share('priceCents'), length)),
    terms: {
      priceCents: terms.priceCents,
      includedPoints: safe(
        BigInt(terms.includedPoints) - floorDiv(-share('includedPoints'), length),
      ),
      overageRateMicrosPerPoint: safe(rate + floorDiv(share('overageRateMicrosPerPoint'), length)),
      currency: terms.currency,
    },
  };
}

/** BigInt division rounds towards zero; this always rounds down. */
function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** Never negative: a rounding below zero becomes zero. */
function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');
  return value < 0n ? 0 : Number(value);
}

/** The running period on the previous plan. */
export interface RunningPeriod {
  interval: Interval;
  /** Including earlier upgrades. */
  terms: PeriodTerms;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
}

/**
 * A change NOW is invoiced for the rest of the period, which continues on `terms`; one with the
 * NEXT_PERIOD costs nothing yet.
 */
export type PlanChange =
  | { begins: 'NEXT_PERIOD' }
  | { begins: 'NOW'; dueCents: number; terms: PeriodTerms };

/**
 * What changing the plan does: a cheaper one begins with the next period, any other immediately.
 */
export function planChange(
  { interval, terms, currentPeriodStart, currentPeriodEnd }: RunningPeriod,
  from: PlanPricing,
  to: PlanPricing,
  at: Date,
): PlanChange {
  const [before, after] = [termsOf(from, interval), termsOf(to, interval)];
  if (after.priceCents < before.priceCents) return { begins: 'NEXT_PERIOD' };
  const leftMs = currentPeriodEnd.getTime() - at.getTime();
  const lengthMs = currentPeriodEnd.getTime() - currentPeriodStart.getTime();
  return { begins: 'NOW', ...prorate(terms, before, after, { leftMs, lengthMs }) };
}

/** Who an invoice is for. */
export interface InvoiceParty {
  name: string;
  /** One entry per line, without the country. */
  address: string | null;
  /** ISO 3166-1 alpha-2; null if the partner had not chosen it. */
  country: string | null;
  taxId: string | null;
}

/** Who issues it, and how it is paid. */
export interface InvoiceIssuer {
  name: string;
  /** One entry per line. */
  address: string | null;
  taxId: string | null;
  /** One entry per line. */
  paymentDetails: string | null;
}
