/**
 * What a plan costs. Integers only: cents, points, and micros of the currency unit (docs/contract.md,
 * Reads).
 */

export const intervals = ['MONTH', 'YEAR'] as const;
export type Interval = (typeof intervals)[number];

/** What a plan version promises and asks. */
export interface PlanPricing {
  monthlyPriceCents: number;
  annualPriceCents: number;
  /** For each month; a year includes twelve times as many. */
  includedPoints: number;
  overageRateMicrosPerPoint: number;
}

/** The same for one billing period of a subscription. */
export interface PeriodTerms {
  /** What the period's own invoice charges for the plan. */
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
 * What these points are under these terms. The overage of a period is rounded once, as a whole, down
 * to the cent, in the partner's favour.
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
 * What a partner pays for a period: the price and the overage.
 * @throws RangeError beyond the safe integers
 */
export function costCents(points: number, terms: PeriodTerms): number {
  return safe(BigInt(terms.priceCents) + BigInt(useOf(points, terms).overageCents));
}

/**
 * An upgrade in the middle of a period. Price, allowance and overage rate all change by the part of
 * the period that is left, so that a late upgrade cannot reprice what was used before it. The price
 * difference is due at once and rounded down to the cent; the period's own invoice goes on charging
 * what it began with. The allowance is rounded up and the rate down: all in the partner's favour.
 * @param terms of the running period, earlier upgrades included
 * @param from the whole period on the plan that is left
 * @param to the whole period on the plan that is taken, no cheaper
 * @param leftMs of the period, which lasts `lengthMs`
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

/** BigInt division rounds towards zero; this one always down. */
function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** Nothing here is ever negative; a rounding that would leave it so stops at zero. */
function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');
  return value < 0n ? 0 : Number(value);
}
