import {
  type Interval,
  type PeriodTerms,
  type PlanPricing,
  prorate,
  termsOf,
} from './plan-arithmetic.ts';

/** The period that runs on the plan that is left. */
export interface RunningPeriod {
  interval: Interval;
  /** Earlier upgrades included. */
  terms: PeriodTerms;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
}

/** NEXT_PERIOD is due nothing now; NOW has an invoice for the rest of the period, on these terms. */
export type PlanChange =
  | { begins: 'NEXT_PERIOD' }
  | { begins: 'NOW'; dueCents: number; terms: PeriodTerms };

/** What taking another plan does: a cheaper one begins with the next period, any other at once. */
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
