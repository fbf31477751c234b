import test from 'ava';
import {
  basisWindowDays,
  type PlanOffer,
  project,
  recommend,
  type UsageSoFar,
} from '../../domain/usage.ts';

const terms = { includedPoints: 30_000, overageRateMicrosPerPoint: 1_000, currency: 'USD' };
const periodDays = 30;

/** Random numbers from a seed, evenly between 0 and 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The points of a day, numbered from 0. The period under test begins on day 60. */
type Partner = (day: number, random: () => number) => number;

const around = (mean: number, spread: number, random: () => number) =>
  Math.max(0, Math.round(mean * (1 + spread * (random() + random() + random() - 1.5))));

const partners: Record<string, Partner> = {
  steady: (_, random) => around(1_000, 0.4, random),
  'steady but for its weekends': (day, random) => around(day % 7 >= 5 ? 300 : 1_300, 0.3, random),
  growing: (day, random) => around(400 + 15 * day, 0.3, random),
  'fast growing': (day, random) => around(300 * 1.03 ** day, 0.3, random),
  shrinking: (day, random) => around(Math.max(50, 2_000 - 18 * day), 0.3, random),
  bursty: (_, random) => (random() < 0.15 ? around(6_000, 0.5, random) : around(80, 0.5, random)),
};

const firstDay = 60;

/** The usage known at noon on a day of the period, and the actual total of the period. */
function observe(partner: Partner, seed: number, dayOfPeriod: number) {
  const random = seeded(seed);
  const days = Array.from({ length: firstDay + periodDays }, (_, day) => partner(day, random));
  const today = firstDay + dayOfPeriod;
  const sum = (from: number, to: number) => days.slice(from, to).reduce((x, y) => x + y, 0);
  const todayPoints = Math.round((days[today] ?? 0) / 2);
  const use: UsageSoFar = {
    points: sum(firstDay, today) + todayPoints,
    completeDays: days.slice(today - basisWindowDays, today),
    todayPoints,
    todayShare: 0.5,
    daysLeft: periodDays - dayOfPeriod - 0.5,
  };
  return { use, actual: sum(firstDay, days.length) };
}

/** Extrapolates the period so far. */
const naive = (use: UsageSoFar) => (use.points * periodDays) / (periodDays - use.daysLeft);

function errors(partner: Partner, daysOfPeriod: readonly number[]) {
  const sums = { ours: 0, naive: 0, inRange: 0, count: 0 };
  for (let seed = 1; seed <= 100; seed++) {
    for (const dayOfPeriod of daysOfPeriod) {
      const { use, actual } = observe(partner, seed, dayOfPeriod);
      const { points, lowPoints, highPoints } = project(use, terms);
      sums.ours += Math.abs(points - actual) / actual;
      sums.naive += Math.abs(naive(use) - actual) / actual;
      sums.inRange += lowPoints <= actual && actual <= highPoints ? 1 : 0;
      sums.count += 1;
    }
  }
  return {
    ours: sums.ours / sums.count,
    naive: sums.naive / sums.count,
    inRange: sums.inRange / sums.count,
  };
}

const early = [1, 3, 5, 8];
const whole = [1, 3, 5, 8, 12, 16, 20, 24, 28];

/** Over the whole period: the largest mean error, and the smallest share of outcomes within the range. */
const expected: Record<string, { error: number; inRange: number }> = {
  steady: { error: 0.04, inRange: 0.8 },
  'steady but for its weekends': { error: 0.04, inRange: 0.8 },
  growing: { error: 0.06, inRange: 0.65 },
  // Growth of 3 % a day exceeds a cautious range.
  'fast growing': { error: 0.11, inRange: 0.3 },
  shrinking: { error: 0.09, inRange: 0.8 },
  bursty: { error: 0.46, inRange: 0.8 },
};

for (const [name, partner] of Object.entries(partners)) {
  test(`the projection for a ${name} partner is better than extrapolating the period so far`, (t) => {
    const [all, atFirst] = [errors(partner, whole), errors(partner, early)];
    t.log(
      Object.entries({ all, atFirst })
        .map(
          ([when, e]) =>
            `${when}: ${e.ours.toFixed(3)} against ${e.naive.toFixed(3)}, in range ${e.inRange.toFixed(2)}`,
        )
        .join('; '),
    );
    t.true(all.ours < all.naive);
    t.true(atFirst.ours < atFirst.naive * 0.85);
    t.true(all.ours <= (expected[name]?.error ?? 0));
  });

  test(`the range for a ${name} partner reflects the projection’s uncertainty`, (t) => {
    t.true(errors(partner, whole).inRange >= (expected[name]?.inRange ?? 1));
  });
}

test('a projection is never below the current count, and within its range', (t) => {
  for (const partner of Object.values(partners)) {
    for (let dayOfPeriod = 0; dayOfPeriod < periodDays; dayOfPeriod++) {
      const { use } = observe(partner, dayOfPeriod + 1, dayOfPeriod);
      const { points, lowPoints, highPoints } = project(use, terms);
      t.true(use.points <= lowPoints && lowPoints <= points && points <= highPoints);
    }
  }
});

test('at the end of the period the projection equals the count', (t) => {
  const { use } = observe(() => 1_000, 1, 29);
  const ended = { ...use, points: 45_000, daysLeft: 0 };
  t.deepEqual(project(ended, terms), {
    points: 45_000,
    lowPoints: 45_000,
    highPoints: 45_000,
    overagePoints: 15_000,
    overageCents: 1_500,
    basisDays: 28,
  });
});

test('constant daily use is projected exactly, without a range', (t) => {
  const { use } = observe(() => 1_000, 1, 10);
  t.like(project(use, terms), { points: 30_000, lowPoints: 30_000, highPoints: 30_000 });
});

test('a partner without use is projected to have none', (t) => {
  const use = { points: 0, completeDays: [], todayPoints: 0, todayShare: 0.5, daysLeft: 20 };
  t.deepEqual(project(use, terms), {
    points: 0,
    lowPoints: 0,
    highPoints: 0,
    overagePoints: 0,
    overageCents: 0,
    basisDays: 0,
  });
});

test('the first minutes of a partner’s first day are not extrapolated to a month', (t) => {
  const use = { points: 50, completeDays: [], todayPoints: 50, todayShare: 0.01, daysLeft: 30 };
  const { points, highPoints, basisDays } = project(use, terms);
  t.true(points <= 50 + 200 * 30);
  t.true(highPoints > points);
  t.is(basisDays, 1);
});

test('a trend is not extrapolated for ever', (t) => {
  const completeDays = Array.from({ length: 28 }, (_, day) => 100 + 100 * day);
  const use = { points: 0, completeDays, todayPoints: 0, todayShare: 0, daysLeft: 365 };
  t.true(project(use, terms).points < 365 * 2_900 * 3);
  const falling = { ...use, completeDays: completeDays.toReversed() };
  t.true(project(falling, terms).points >= 0);
});

/** Calculated by an independent program from the description of `project`. */
const calculated: [name: string, use: UsageSoFar, expected: object][] = [
  [
    'half a first day',
    { points: 600, completeDays: [], todayPoints: 600, todayShare: 0.5, daysLeft: 9.5 },
    { points: 12_000, lowPoints: 600, highPoints: 27_341, basisDays: 1 },
  ],
  [
    'one complete day',
    { points: 900, completeDays: [900], todayPoints: 0, todayShare: 0.5, daysLeft: 9.5 },
    { points: 9_450, lowPoints: 900, highPoints: 20_956, basisDays: 1 },
  ],
  [
    'three days, too few for a line',
    {
      points: 3_300,
      completeDays: [900, 1_400, 1_000],
      todayPoints: 0,
      todayShare: 0.5,
      daysLeft: 6.5,
    },
    { points: 10_460, lowPoints: 6_765, highPoints: 14_155, basisDays: 3 },
  ],
  [
    'four days',
    {
      points: 4_600,
      completeDays: [900, 1_400, 1_000, 1_300],
      todayPoints: 0,
      todayShare: 0.5,
      daysLeft: 6.5,
    },
    { points: 12_107, lowPoints: 4_957, highPoints: 19_257, basisDays: 4 },
  ],
  [
    'ten days that grow',
    {
      points: 1_500,
      todayPoints: 150,
      todayShare: 0.5,
      daysLeft: 20.5,
      completeDays: [100, 140, 150, 210, 240, 230, 290, 320, 330, 400],
    },
    { points: 19_091, lowPoints: 13_176, highPoints: 25_006, basisDays: 10 },
  ],
  [
    'eight days without a trend',
    {
      points: 2_000,
      todayPoints: 0,
      todayShare: 0.25,
      daysLeft: 12.25,
      completeDays: [700, 100, 900, 300, 600, 200, 800, 150],
    },
    { points: 7_659, lowPoints: 2_000, highPoints: 17_425, basisDays: 8 },
  ],
  [
    'ten days that fall',
    {
      points: 5_000,
      todayPoints: 0,
      todayShare: 0.5,
      daysLeft: 20.5,
      completeDays: [900, 860, 790, 760, 700, 640, 600, 530, 500, 450],
    },
    { points: 7_923, lowPoints: 5_000, highPoints: 11_238, basisDays: 10 },
  ],
  [
    'five weeks, of which four count',
    {
      points: 4_000,
      todayPoints: 0,
      todayShare: 0.5,
      daysLeft: 10.5,
      completeDays: [
        ...Array.from({ length: 7 }, () => 5_000),
        ...Array.from({ length: 28 }, (_, day) => 100 + ((day * 37) % 11) * 20 + day * 10),
      ],
    },
    { points: 9_668, lowPoints: 9_013, highPoints: 10_322, basisDays: 28 },
  ],
];

for (const [name, use, expected] of calculated) {
  test(`${name}: the projection and its range match an independent calculation`, (t) => {
    t.like(project(use, terms), expected);
  });
}

test('days without use are projected to continue', (t) => {
  const completeDays = Array.from({ length: 10 }, () => 0);
  const use = { points: 40, completeDays, todayPoints: 0, todayShare: 0.5, daysLeft: 15.5 };
  t.like(project(use, terms), { points: 40, lowPoints: 40, highPoints: 40, basisDays: 10 });
});

const offer = (changes: Partial<PlanOffer>): PlanOffer => ({
  planVersionId: 'pln_starter',
  name: 'Starter',
  currency: 'USD',
  monthlyPriceCents: 4_900,
  annualPriceCents: 49_000,
  includedPoints: 100_000,
  overageRateMicrosPerPoint: 800,
  ...changes,
});
const starter = offer({});
const growth = offer({
  planVersionId: 'pln_growth',
  name: 'Growth',
  monthlyPriceCents: 24_900,
  annualPriceCents: 249_000,
  includedPoints: 1_000_000,
  overageRateMicrosPerPoint: 400,
});
const published = [starter, growth];
/** A certain forecast of a period's points. */
const at = (points: number) => ({
  points,
  lowPoints: points,
  highPoints: points,
  basisDays: 28,
});

test('before a week of usage, no plan is recommended', (t) => {
  const forecast = { ...at(1_000_000), basisDays: 6 };
  t.is(recommend(starter, published, 'MONTH', forecast).action, 'STAY');
  t.is(recommend(starter, published, 'MONTH', { ...forecast, basisDays: 7 }).action, 'UPGRADE');
});

test('a plan that costs more in a part of the projected range is not recommended', (t) => {
  // Growth costs less from 350,000 points on.
  const forecast = { ...at(400_000), lowPoints: 300_000, highPoints: 500_000 };
  t.is(recommend(starter, published, 'MONTH', forecast).action, 'STAY');
  t.is(
    recommend(starter, published, 'MONTH', { ...forecast, lowPoints: 360_000 }).action,
    'UPGRADE',
  );
});

test('a partner whose overage costs more than the larger plan is advised to upgrade, with the savings', (t) => {
  // 49.00 + 900,000 × 0.0008 = 769.00, compared with 249.00.
  t.deepEqual(recommend(starter, published, 'MONTH', at(1_000_000)), {
    action: 'UPGRADE',
    planVersionId: 'pln_growth',
    estimatedSavingsCents: 52_000,
    reason: 'At 1,000,000 points a month, Growth costs $249.00, compared with $769.00 for Starter.',
  });
});

test('a partner who hardly uses the plan is advised to take the smaller one', (t) => {
  t.deepEqual(recommend(growth, published, 'MONTH', at(90_000)), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_starter',
    estimatedSavingsCents: 20_000,
    reason: 'At 90,000 points a month, Starter costs $49.00, compared with $249.00 for Growth.',
  });
});

test('between plans of equal cost the partner stays', (t) => {
  // 49.00 + 250,000 × 0.0008 = 249.00.
  t.deepEqual(recommend(starter, published, 'MONTH', at(350_000)), {
    action: 'STAY',
    planVersionId: null,
    estimatedSavingsCents: 0,
    reason:
      'At 350,000 points a month, Starter costs $249.00, and no other plan is sure to cost less.',
  });
  t.is(recommend(growth, published, 'MONTH', at(350_000)).action, 'STAY');
});

test('a year is compared with annual prices and twelve allowances', (t) => {
  // 490.00 + 2,800,000 × 0.0008 = 2,730.00, compared with 2,490.00. Billed by month, it would stay.
  t.like(recommend(starter, published, 'YEAR', at(4_000_000)), {
    action: 'UPGRADE',
    estimatedSavingsCents: 24_000,
    reason:
      'At 4,000,000 points a year, Growth costs $2,490.00, compared with $2,730.00 for Starter.',
  });
});

test('a plan in another currency is not compared', (t) => {
  const foreign = offer({ planVersionId: 'pln_euro', currency: 'EUR', monthlyPriceCents: 1 });
  t.is(recommend(starter, [starter, foreign], 'MONTH', at(1_000)).action, 'STAY');
});

test('a plan that is no longer published is compared with the published ones', (t) => {
  const archived = offer({ planVersionId: 'pln_old', name: 'Old', monthlyPriceCents: 5_000 });
  t.like(recommend(archived, published, 'MONTH', at(1_000)), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_starter',
    estimatedSavingsCents: 100,
  });
});

test('without a subscription, or without plans, there is nothing to change', (t) => {
  t.is(recommend(null, published, 'MONTH', at(1_000_000)).action, 'STAY');
  t.is(recommend(starter, [], 'MONTH', at(1_000_000)).action, 'STAY');
});

test('of plans with equal cost, the one with the lower price is named', (t) => {
  const current = offer({ planVersionId: 'pln_now', monthlyPriceCents: 90_000 });
  const dear = offer({
    planVersionId: 'pln_dear',
    monthlyPriceCents: 10_000,
    includedPoints: 200_000,
  });
  // Its 100,000 points above the allowance cost 50.00, exactly the difference in price.
  const cheap = offer({
    planVersionId: 'pln_cheap',
    monthlyPriceCents: 5_000,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 500,
  });
  for (const published of [
    [dear, cheap],
    [cheap, dear],
  ]) {
    t.is(recommend(current, published, 'MONTH', at(200_000)).planVersionId, 'pln_cheap');
  }
});

test('a plan with the same price and a lower cost is no upgrade', (t) => {
  const roomy = offer({ planVersionId: 'pln_roomy', name: 'Roomy', includedPoints: 200_000 });
  // The plan with half the allowance costs 100,000 × 0.0008 = 80.00 more.
  t.like(recommend(starter, [starter, roomy], 'MONTH', at(200_000)), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_roomy',
    estimatedSavingsCents: 8_000,
  });
});
