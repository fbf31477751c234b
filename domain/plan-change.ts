import {
  type Interval,
  type PeriodTerms,
  type PlanPricing,
  prorate,
  termsOf,
} from './plan-arithmetic.ts';

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
