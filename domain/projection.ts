import { type PeriodTerms, useOf } from './plan-arithmetic.ts';

/** What is known about a partner's use when a projection is made. */
export interface UseSoFar {
  /** Counted in the running period until now. */
  points: number;
  /** The points of the complete days before today, oldest first; days before the first use left out. */
  completeDays: readonly number[];
  todayPoints: number;
  /** How much of today is over, from 0 to 1. */
  todayShare: number;
  /** Days until the period ends, with their fraction. */
  daysLeft: number;
}

export interface Projection {
  points: number;
  /** The period is expected to end between these two in four cases of five. */
  lowPoints: number;
  highPoints: number;
  overagePoints: number;
  overageCents: number;
  /** How many days it rests on; 0 where there was no use at all. */
  basisDays: number;
}

/** How many complete days a projection looks at: four weeks, so that every weekday counts the same. */
export const basisWindowDays = 28;

/** A day counts half of one that is this much younger. */
const halfLifeDays = 14;
/** The trend of the days fades as it is carried on: nobody grows for a year as in one good week. */
const trendDamping = 0.98;
/** The daily rate never leaves this many times what it is now. */
const maxRateGrowth = 3;
/** A slope is believed from this many standard errors on: none of it there, half of it at 2, most at 4. */
const slopeDoubt = Math.SQRT2;
/** That a trend goes on is an assumption: this share of what it adds, or takes, is a standard deviation. */
const trendDoubt = 0.5;
/** Standard deviations on either side that hold four cases of five. */
const fourOfFive = 1.28;
/** A first day is not judged by its first minutes. */
const leastShareOfToday = 0.25;

/**
 * Projects a period's points to its end. What is counted stays; each day that is left adds a daily
 * rate: a weighted line through the last complete days (at most 28, half-life 14 days), whatever
 * period they lie in, so that the first days of a period do not decide alone. The slope is believed
 * as far as it stands clear of the scatter (1 - 2/t², nothing below), is carried on as so many
 * percent a day, fades by 2 % a day, and takes the rate to three times what it is at most. So a
 * steady partner is projected flat, a growing one growing, and a burst is spread over the days it is
 * seen among. The range comes from the scatter around the line, of the days to come and of the line
 * itself, and from the doubt that a trend goes on.
 *
 * It is an estimate, reckoned in floating point and rounded once to whole points; the cents are
 * reckoned from those in integers.
 */
export function project(use: UseSoFar, terms: Omit<PeriodTerms, 'priceCents'>): Projection {
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
  /** Standard deviation of a day around the line. */
  scatter: number;
  slopeError: number;
  /** How far back the middle of the line lies: an error of the slope turns around there. */
  meanAgeDays: number;
  effectiveDays: number;
  basisDays: number;
}

function fitLine({ completeDays, todayPoints, todayShare }: UseSoFar): Fit {
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
    // Days before now; the line is read at 0.
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
    // Its own error, and what was not believed of it.
    slopeError: Math.sqrt(slopeVariance + (rawSlope - slope) ** 2),
    meanAgeDays: -meanX,
    effectiveDays,
    basisDays: days.length,
  };
}

function whole(estimate: number): number {
  return Math.min(Math.max(0, Math.round(estimate)), Number.MAX_SAFE_INTEGER);
}
