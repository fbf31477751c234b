import test from 'ava';
import fc from 'fast-check';
import { Settings } from 'luxon';
import {
  calendarMonth,
  dayOf,
  daysUntil,
  type Interval,
  type Period,
  periodContaining,
} from '../../domain/billing.ts';

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
