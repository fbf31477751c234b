/**
 * What plans cost. Integers only: cents, points, and micros of the currency unit (docs/contract.md,
 * Reads).
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
}

/** What one billing period of a subscription includes and costs. */
export interface PeriodTerms {
  /** What the invoice of the period charges for the plan. */
  priceCents: number;
  includedPoints: number;
  overageRateMicrosPerPoint: number;
}

export interface PeriodUse {
  includedPointsConsumed: number;
  overagePoints: number;
  overageCents: number;
}

const microsPerCent = 10_000n;
const monthsPerYear = 12;

/** The terms of a whole period on a plan. */
export function termsOf(plan: PlanPricing, interval: Interval): PeriodTerms {
  const isYear = interval === 'YEAR';
  return {
    priceCents: isYear ? plan.annualPriceCents : plan.monthlyPriceCents,
    includedPoints: plan.includedPoints * (isYear ? monthsPerYear : 1),
    overageRateMicrosPerPoint: plan.overageRateMicrosPerPoint,
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
  { includedPoints, overageRateMicrosPerPoint }: Omit<PeriodTerms, 'priceCents'>,
): PeriodUse {
  const includedPointsConsumed = Math.min(points, includedPoints);
  const overagePoints = points - includedPointsConsumed;
  return {
    includedPointsConsumed,
    overagePoints,
    overageCents: safe((BigInt(overagePoints) * BigInt(overageRateMicrosPerPoint)) / microsPerCent),
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
  const share = (name: keyof PeriodTerms) => BigInt(to[name] - from[name]) * left;
  const rate = BigInt(terms.overageRateMicrosPerPoint);
  return {
    dueCents: safe(floorDiv(share('priceCents'), length)),
    terms: {
      priceCents: terms.priceCents,
      includedPoints: safe(
        BigInt(terms.includedPoints) - floorDiv(-share('includedPoints'), length),
      ),
      overageRateMicrosPerPoint: safe(rate + floorDiv(share('overageRateMicrosPerPoint'), length)),
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
