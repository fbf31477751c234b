import test from 'ava';
import fc from 'fast-check';
import { Settings } from 'luxon';
import {
  calendarMonth,
  costCents,
  dayOf,
  daysUntil,
  type Interval,
  type Period,
  type PeriodTerms,
  periodContaining,
  prorate,
  termsOf,
  useOf,
} from '../../domain/billing.ts';
import { runwayDays } from '../../domain/usage.ts';

// A zone with daylight saving time, because periods must follow UTC wherever the service runs.
Settings.defaultZone = 'America/New_York';

const day = (text: string) => `${text}T00:00:00.000Z`;

interface Case {
  title: string;
  anchor: string;
  interval?: Interval;
  at: string;
  start: string;
  end: string;
}

const cases: Case[] = [
  {
    title: 'the first period begins with the subscription, to the millisecond',
    anchor: '2026-03-10T08:30:00.123Z',
    at: '2026-03-10T08:30:00.123Z',
    start: '2026-03-10T08:30:00.123Z',
    end: '2026-04-10T08:30:00.123Z',
  },
  {
    title: 'the last millisecond belongs to the period',
    anchor: day('2026-03-10'),
    at: '2026-04-09T23:59:59.999Z',
    start: day('2026-03-10'),
    end: day('2026-04-10'),
  },
  {
    title: 'the end of a period is the start of the next',
    anchor: day('2026-03-10'),
    at: day('2026-04-10'),
    start: day('2026-04-10'),
    end: day('2026-05-10'),
  },
  {
    title: 'anchored on the 31st, a period ends on the last day of a shorter month',
    anchor: day('2026-01-31'),
    at: day('2026-02-01'),
    start: day('2026-01-31'),
    end: day('2026-02-28'),
  },
  {
    title: 'and in a leap year on 29 February',
    anchor: day('2028-01-31'),
    at: day('2028-02-01'),
    start: day('2028-01-31'),
    end: day('2028-02-29'),
  },
  {
    title: 'after a shorter month the periods return to the 31st',
    anchor: day('2026-01-31'),
    at: day('2026-03-01'),
    start: day('2026-02-28'),
    end: day('2026-03-31'),
  },
  {
    title: 'years later the 31st is still the 31st',
    anchor: day('2020-10-31'),
    at: day('2026-12-31'),
    start: day('2026-12-31'),
    end: day('2027-01-31'),
  },
  {
    title: 'a period crosses the turn of the year',
    anchor: day('2025-11-15'),
    at: day('2026-01-01'),
    start: day('2025-12-15'),
    end: day('2026-01-15'),
  },
  {
    title: 'a yearly period lasts a year',
    anchor: day('2024-06-30'),
    interval: 'YEAR',
    at: '2026-06-29T23:00:00.000Z',
    start: day('2025-06-30'),
    end: day('2026-06-30'),
  },
  {
    title: 'a year from 29 February ends on 28 February',
    anchor: day('2024-02-29'),
    interval: 'YEAR',
    at: day('2024-12-01'),
    start: day('2024-02-29'),
    end: day('2025-02-28'),
  },
  {
    title: 'and comes back to 29 February in the next leap year',
    anchor: day('2024-02-29'),
    interval: 'YEAR',
    at: day('2028-03-01'),
    start: day('2028-02-29'),
    end: day('2029-02-28'),
  },
  {
    title: 'an instant given with an offset falls into the UTC period',
    anchor: day('2026-03-01'),
    at: '2026-04-01T01:00:00+02:00',
    start: day('2026-03-01'),
    end: day('2026-04-01'),
  },
  {
    title: 'daylight saving time moves no period',
    anchor: '2026-03-08T02:30:00.000Z',
    at: '2026-11-08T02:29:59.999Z',
    start: '2026-10-08T02:30:00.000Z',
    end: '2026-11-08T02:30:00.000Z',
  },
];

for (const { title, anchor, interval = 'MONTH', at, start, end } of cases) {
  test(title, (t) => {
    t.deepEqual(periodContaining(anchor, interval, at), { start, end });
  });
}

test('before its anchor a subscription has no period', (t) => {
  t.throws(() => periodContaining(day('2026-03-10'), 'MONTH', '2026-03-09T23:59:59.999Z'), {
    instanceOf: RangeError,
  });
});

test('without a subscription the period is the calendar month in UTC', (t) => {
  const february = { start: day('2026-02-01'), end: day('2026-03-01') };
  t.deepEqual(calendarMonth(day('2026-02-01')), february);
  t.deepEqual(calendarMonth('2026-02-28T23:59:59.999Z'), february);
  t.deepEqual(calendarMonth('2026-03-01T00:30:00+01:00'), february);
});

test('days are UTC days', (t) => {
  t.is(dayOf('2026-01-01T00:30:00+01:00'), '2025-12-31');
  t.deepEqual(daysUntil('2026-03-02T10:00:00Z', 4), [
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
});

const instantMs = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2060, 0) });
const iso = (ms: number) => new Date(ms).toISOString();

test('every instant is in exactly one period of a subscription', (t) => {
  fc.assert(
    fc.property(
      instantMs,
      fc.nat(20 * 366 * 86_400_000),
      fc.constantFrom<Interval>('MONTH', 'YEAR'),
      (anchorMs, laterMs, interval) => {
        const at = iso(anchorMs + laterMs);
        const of = (instant: string): Period => periodContaining(iso(anchorMs), interval, instant);
        const period = of(at);
        const next = of(period.end);
        return (
          period.start <= at &&
          at < period.end &&
          next.start === period.end &&
          of(iso(Date.parse(period.end) - 1)).start === period.start
        );
      },
    ),
    { numRuns: 2_000 },
  );
  t.pass();
});

const starter = {
  monthlyPriceCents: 4_900,
  annualPriceCents: 49_000,
  includedPoints: 100_000,
  overageRateMicrosPerPoint: 800,
  currency: 'USD',
};

test('a month has the monthly price and allowance, a year the annual price and twelve allowances', (t) => {
  t.deepEqual(termsOf(starter, 'MONTH'), {
    priceCents: 4_900,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 800,
    currency: 'USD',
  });
  t.deepEqual(termsOf(starter, 'YEAR'), {
    priceCents: 49_000,
    includedPoints: 1_200_000,
    overageRateMicrosPerPoint: 800,
    currency: 'USD',
  });
});

for (const [points, consumed, overagePoints, overageCents] of [
  [0, 0, 0, 0],
  [100_000, 100_000, 0, 0],
  // 12 points × 800 micros = 9,600 micros, less than a cent; 13 points are 10,400 micros.
  [100_012, 100_000, 12, 0],
  [100_013, 100_000, 13, 1],
  [350_000, 100_000, 250_000, 20_000],
] as const) {
  test(`${points} points with 100000 included are ${overagePoints} over and cost ${overageCents} cents`, (t) => {
    const terms = termsOf(starter, 'MONTH');
    t.deepEqual(useOf(points, terms), {
      includedPointsConsumed: consumed,
      overagePoints,
      overageCents,
    });
    t.is(costCents(points, terms), 4_900 + overageCents);
  });
}

test('an overage that floating point would round is counted exactly', (t) => {
  const terms = { includedPoints: 0, overageRateMicrosPerPoint: 999_999_999, currency: 'USD' };
  // 90,071,992 × 999,999,999 = 90,071,991,909,928,008 micros.
  t.is(useOf(90_071_992, terms).overageCents, 9_007_199_190_992);
});

test('an overage beyond the safe integers throws instead of losing a cent', (t) => {
  const terms = { includedPoints: 0, overageRateMicrosPerPoint: 1_000_000_000, currency: 'USD' };
  t.throws(() => useOf(Number.MAX_SAFE_INTEGER, terms), { instanceOf: RangeError });
});

const [a, b, c]: PeriodTerms[] = [
  { priceCents: 3_000, includedPoints: 1_000, overageRateMicrosPerPoint: 900, currency: 'USD' },
  { priceCents: 9_000, includedPoints: 7_000, overageRateMicrosPerPoint: 300, currency: 'USD' },
  { priceCents: 30_000, includedPoints: 40_000, overageRateMicrosPerPoint: 100, currency: 'USD' },
] as const;

test('an upgrade after a third of the period charges and grants two thirds of the difference', (t) => {
  t.deepEqual(prorate(a, a, b, { leftMs: 20, lengthMs: 30 }), {
    dueCents: 4_000,
    terms: {
      priceCents: 3_000,
      includedPoints: 5_000,
      overageRateMicrosPerPoint: 500,
      currency: 'USD',
    },
  });
});

test('an upgrade at the start of the period is the complete new plan', (t) => {
  const { dueCents, terms } = prorate(a, a, b, { leftMs: 30, lengthMs: 30 });
  t.deepEqual(terms, { ...b, priceCents: 3_000 });
  t.is(dueCents + terms.priceCents, b.priceCents);
});

test('an upgrade at the end of the period changes nothing used before it', (t) => {
  t.deepEqual(prorate(a, a, b, { leftMs: 0, lengthMs: 30 }), { dueCents: 0, terms: a });
});

test('an upgrade rounds in the partner’s favour: price and rate down, allowance up', (t) => {
  // A seventh of 6,000 is 857.14; of −600, −85.71.
  t.deepEqual(prorate(a, a, b, { leftMs: 1, lengthMs: 7 }), {
    dueCents: 857,
    terms: {
      priceCents: 3_000,
      includedPoints: 1_858,
      overageRateMicrosPerPoint: 814,
      currency: 'USD',
    },
  });
});

test('two upgrades in one period add up', (t) => {
  const first = prorate(a, a, b, { leftMs: 20, lengthMs: 30 });
  t.deepEqual(prorate(first.terms, b, c, { leftMs: 10, lengthMs: 30 }), {
    dueCents: 7_000,
    terms: {
      priceCents: 3_000,
      includedPoints: 16_000,
      overageRateMicrosPerPoint: 433,
      currency: 'USD',
    },
  });
});

const terms = fc.record({
  priceCents: fc.nat(1_000_000),
  includedPoints: fc.nat(10_000_000),
  overageRateMicrosPerPoint: fc.nat(100_000),
  currency: fc.constant('USD'),
});

test('an upgrade never makes an allowance, a rate or an amount negative, and costs less the later it is', (t) => {
  fc.assert(
    fc.property(
      fc.tuple(terms, terms).map((both) => both.sort((x, y) => x.priceCents - y.priceCents)),
      fc.nat(1_000),
      fc.nat(1_000),
      ([from, to], one, other) => {
        if (!from || !to) return false;
        const at = (leftMs: number) => prorate(from, from, to, { leftMs, lengthMs: 1_000 });
        const [late, early] = [at(Math.min(one, other)), at(Math.max(one, other))];
        const within = (name: Exclude<keyof PeriodTerms, 'currency'>) =>
          early.terms[name] >= Math.min(from[name], to[name]) &&
          early.terms[name] <= Math.max(from[name], to[name]);
        return (
          late.dueCents >= 0 &&
          late.dueCents <= early.dueCents &&
          within('includedPoints') &&
          within('overageRateMicrosPerPoint')
        );
      },
    ),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('more points never cost less', (t) => {
  fc.assert(
    fc.property(terms, fc.nat(1_000_000_000), fc.nat(1_000_000), (of, points, more) => {
      return costCents(points, of) <= costCents(points + more, of);
    }),
  );
  t.pass();
});

test('the runway is the number of whole days that the funds last at the recent rate', (t) => {
  t.is(runwayDays(1_000, [100, 200, 300]), 5);
  t.is(runwayDays(999, [100, 200, 300]), 4);
  t.is(runwayDays(0, [100]), 0);
  t.is(runwayDays(1_000, [300, 300, 0]), 3, 'a day that has just begun lengthens nothing');
  t.is(runwayDays(1_000, [100, 100, 700]), 3, 'a day that costs much counts before it is over');
});

test('without spending there is no runway', (t) => {
  t.is(runwayDays(1_000, []), null);
  t.is(runwayDays(1_000, [0, 0]), null);
});

test('the worked example of docs/concepts/billing.md is correct', (t) => {
  const starter = {
    priceCents: 4_900,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 800,
    currency: 'USD',
  };
  const growth = {
    priceCents: 24_900,
    includedPoints: 1_000_000,
    overageRateMicrosPerPoint: 400,
    currency: 'USD',
  };
  const { dueCents, terms } = prorate(starter, starter, growth, {
    leftMs: Date.parse('2026-04-10') - Date.parse('2026-03-25T12:00:00Z'),
    lengthMs: Date.parse('2026-04-10') - Date.parse('2026-03-10'),
  });
  t.is(dueCents, 10_000);
  t.deepEqual(terms, {
    priceCents: 4_900,
    includedPoints: 550_000,
    overageRateMicrosPerPoint: 600,
    currency: 'USD',
  });
  t.is(costCents(600_000, terms), 7_900);
  t.is(useOf(600_000, terms).overageCents - useOf(590_000, terms).overageCents, 600);
});

test('a rate lowered by upgrades stops at zero', (t) => {
  const plan = {
    priceCents: 4_900,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 800,
    currency: 'USD',
  };
  const larger = { ...plan, priceCents: 24_900, overageRateMicrosPerPoint: 400, currency: 'USD' };
  const lowered = { ...plan, overageRateMicrosPerPoint: 300, currency: 'USD' };
  const { terms } = prorate(lowered, plan, larger, { leftMs: 30, lengthMs: 30 });
  t.is(terms.overageRateMicrosPerPoint, 0);
});
