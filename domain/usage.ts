import {
  costCents,
  type Interval,
  type PeriodTerms,
  type PlanPricing,
  termsOf,
  useOf,
} from './billing.ts';
import { moneyText } from './money.ts';
import { numberText } from './numbers.ts';

/** The usage of a partner at the time of a projection. */
export interface UsageSoFar {
  /** Counted in the running period so far. */
  points: number;
  /** The points of the complete days before today, oldest first, from the first day with any. */
  completeDays: readonly number[];
  todayPoints: number;
  /** The share of today that is over, from 0 to 1. */
  todayShare: number;
  /** Days until the period ends, not rounded. */
  daysLeft: number;
}

export interface Projection {
  points: number;
  /** The period is expected to end between these two with a probability of 80 %. */
  lowPoints: number;
  highPoints: number;
  overagePoints: number;
  overageCents: number;
  /** How many days it is based on; 0 without any usage. */
  basisDays: number;
}

/**
 * How many complete days a projection is based on: four weeks, so that every weekday counts
 * equally.
 */
export const basisWindowDays = 28;

/** A day weighs half as much as one this much later. */
const halfLifeDays = 14;
/** The daily damping of the trend: no growth of one good week lasts a year. */
const trendDamping = 0.98;
/** The most that the daily rate can grow. */
const maxRateGrowth = 3;
/**
 * A slope only counts beyond this many standard errors: not at all up to there, half at 2, mostly at 4.
 */
const slopeDoubt = Math.SQRT2;
/**
 * The trend may not continue: this share of what it adds or removes counts as a standard deviation.
 */
const trendDoubt = 0.5;
/** Standard deviations on either side of the mean that contain 80 % of the cases. */
const fourOfFive = 1.28;
/** The smallest part of a first day that is enough to estimate a daily rate. */
const leastShareOfToday = 0.25;

/**
 * Projects the points of a period to its end: what has been counted, plus a daily rate for each day
 * that remains. The rate follows a weighted line through the last complete days (at most 28, with a
 * half-life of 14 days), whichever period they are in, so that the first days of a period do not
 * decide alone. The slope is weighted by how clearly it exceeds the scatter (1 - 2/t², or 0), is
 * extrapolated as a daily percentage, damped by 2 % a day, and raises the rate to at most three
 * times its value. So a steady partner is projected flat, a growing one growing, and a burst is
 * spread over the days around it. The range follows from the scatter around the line, of the days
 * to come and of the line itself, and from the doubt that the trend continues.
 *
 * It is an estimate, calculated in floating point and rounded once, to whole points; cents are
 * calculated from those in integers.
 */
export function project(use: UsageSoFar, terms: Omit<PeriodTerms, 'priceCents'>): Projection {
  const { level, slope, scatter, slopeError, meanAgeDays, effectiveDays, basisDays } = fitLine(use);
  const growth = level > 0 ? slope / level : 0;
  let restPoints = 0;
  let slopeWeight = 0;
  let carried = 0;
  let fade = 1;
  for (let done = 0; done < use.daysLeft; done++) {
    const share = Math.min(1, use.daysLeft - done);
    fade *= trendDamping;
    carried += fade;
    slopeWeight += share * carried;
    restPoints += share * level * Math.min(Math.exp(growth * carried), maxRateGrowth);
  }
  const days = use.daysLeft;
  const deviation = Math.sqrt(
    scatter ** 2 * (days + days ** 2 / effectiveDays) +
      (slopeError * (slopeWeight + meanAgeDays * days)) ** 2 +
      (trendDoubt * (restPoints - level * days)) ** 2,
  );
  const points = whole(use.points + restPoints);
  return {
    points,
    lowPoints: Math.max(use.points, whole(use.points + restPoints - fourOfFive * deviation)),
    highPoints: whole(use.points + restPoints + fourOfFive * deviation),
    overagePoints: useOf(points, terms).overagePoints,
    overageCents: useOf(points, terms).overageCents,
    basisDays,
  };
}

interface Fit {
  /** The daily rate now. */
  level: number;
  slope: number;
  /** The standard deviation of a day from the line. */
  scatter: number;
  slopeError: number;
  /**
   * The age of the weighted center of the days: an error of the slope turns the line around it.
   */
  meanAgeDays: number;
  effectiveDays: number;
  basisDays: number;
}

function fitLine({ completeDays, todayPoints, todayShare }: UsageSoFar): Fit {
  const days = completeDays.slice(-basisWindowDays);
  if (days.length === 0) {
    const level = todayPoints / Math.max(todayShare, leastShareOfToday);
    const basisDays = todayPoints > 0 ? 1 : 0;
    return {
      level,
      slope: 0,
      scatter: level,
      slopeError: 0,
      meanAgeDays: 0,
      effectiveDays: 1,
      basisDays,
    };
  }
  const rows = days.map((points, index) => {
    // Days before now; the line is evaluated at 0.
    const x = index - days.length;
    return { x, points, weight: 0.5 ** (-x / halfLifeDays) };
  });
  const sum = (of: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + row.weight * of(row), 0);
  const weight = sum(() => 1);
  const effectiveDays = weight ** 2 / rows.reduce((total, row) => total + row.weight ** 2, 0);
  const meanX = sum(({ x }) => x) / weight;
  const mean = sum(({ points }) => points) / weight;
  const spread = sum(({ x }) => (x - meanX) ** 2);
  const rawSlope = spread > 0 ? sum(({ x, points }) => (x - meanX) * (points - mean)) / spread : 0;
  const freedom = effectiveDays - 2;
  const residual = sum(({ x, points }) => (points - mean - rawSlope * (x - meanX)) ** 2) / weight;
  if (freedom < 1) {
    const scatter = Math.max(Math.sqrt(residual), mean / Math.sqrt(days.length));
    return {
      level: mean,
      slope: 0,
      scatter,
      slopeError: 0,
      meanAgeDays: 0,
      effectiveDays,
      basisDays: days.length,
    };
  }
  const variance = (residual * effectiveDays) / freedom;
  const slopeVariance = (variance * weight) / (spread * effectiveDays);
  const doubt = slopeDoubt ** 2 * slopeVariance;
  const belief = rawSlope === 0 ? 0 : Math.max(0, 1 - doubt / rawSlope ** 2);
  const slope = rawSlope * belief;
  return {
    level: Math.max(0, mean - slope * meanX),
    slope,
    scatter: Math.sqrt(variance),
    // The error of the slope, and the part of it that was discounted.
    slopeError: Math.sqrt(slopeVariance + (rawSlope - slope) ** 2),
    meanAgeDays: -meanX,
    effectiveDays,
    basisDays: days.length,
  };
}

function whole(estimate: number): number {
  return Math.min(Math.max(0, Math.round(estimate)), Number.MAX_SAFE_INTEGER);
}

/** A plan version that a partner has or could take. */
export interface PlanOffer extends PlanPricing {
  planVersionId: string;
  name: string;
  currency: string;
}

export interface Recommendation {
  action: 'STAY' | 'UPGRADE' | 'DOWNGRADE';
  /** The plan version to take; null for STAY. */
  planVersionId: string | null;
  /** Per billing period; 0 for STAY. */
  estimatedSavingsCents: number;
  /** One sentence. */
  reason: string;
}

const stay = (reason: string): Recommendation => ({
  action: 'STAY',
  planVersionId: null,
  estimatedSavingsCents: 0,
  reason,
});

/** The fewest days of usage that a recommendation is based on. */
export const leastBasisDays = 7;

/**
 * Compares what the projected points would cost for a whole period on the partner's plan and on
 * each published plan of the same currency, and recommends the cheapest of those that cost less
 * anywhere in the projected range. Of equals, the partner's own plan comes first, then the one with
 * the lowest price. It says nothing before a week of usage.
 * @param current the partner's plan; null without a subscription
 */
export function recommend(
  current: PlanOffer | null,
  published: readonly PlanOffer[],
  interval: Interval,
  forecast: Pick<Projection, 'points' | 'lowPoints' | 'highPoints' | 'basisDays'>,
): Recommendation {
  const { points, lowPoints, highPoints, basisDays } = forecast;
  if (current === null) return stay('There is no subscription to compare with the plans.');
  if (basisDays < leastBasisDays) {
    return stay('There is less than a week of usage, which is too little to compare the plans.');
  }
  const costAt = (plan: PlanOffer, use: number) => costCents(use, termsOf(plan, interval));
  const costOf = (plan: PlanOffer) => costAt(plan, points);
  const isCheaper = (plan: PlanOffer) =>
    [lowPoints, highPoints].every((use) => costAt(plan, use) < costAt(current, use));
  const priceOf = (plan: PlanOffer) => termsOf(plan, interval).priceCents;
  const period = interval === 'YEAR' ? 'year' : 'month';
  const money = (cents: number) => moneyText(cents, current.currency);
  const [best] = published
    .filter((plan) => plan.currency === current.currency && isCheaper(plan))
    .sort((one, other) => costOf(one) - costOf(other) || priceOf(one) - priceOf(other));
  const nowCents = costOf(current);
  const use = `At ${numberText(points)} points a ${period}`;
  if (best === undefined || costOf(best) >= nowCents) {
    return stay(
      `${use}, ${current.name} costs ${money(nowCents)}, and no other plan is sure to cost less.`,
    );
  }
  const action = priceOf(best) > priceOf(current) ? 'UPGRADE' : 'DOWNGRADE';
  return {
    action,
    planVersionId: best.planVersionId,
    estimatedSavingsCents: nowCents - costOf(best),
    reason: `${use}, ${best.name} costs ${money(costOf(best))}, compared with ${money(nowCents)} for ${current.name}.`,
  };
}

/** The number of days, including today, over which spending is averaged. */
export const runwayWindowDays = 14;

/**
 * How many whole days the funding lasts at the average spending of the last days: with today, which is not over, or of the
 * days before it, whichever cost more (docs/concepts/billing.md, The runway).
 * @param fundingCents not reserved
 * @param dailyCents what the rewards of each day cost, today last
 * @returns null if nothing was spent
 */
export function runwayDays(fundingCents: number, dailyCents: readonly number[]): number | null {
  const lasting = [dailyCents, dailyCents.slice(0, -1)].flatMap((days) => {
    const spentCents = days.reduce((total, amount) => total + amount, 0);
    if (spentCents <= 0) return [];
    return [Number((BigInt(fundingCents) * BigInt(days.length)) / BigInt(spentCents))];
  });
  return lasting.length === 0 ? null : Math.min(...lasting);
}
