import test from 'ava';
import fc from 'fast-check';
import { Settings } from 'luxon';
import { claimExpiry, parseClaimWindow } from '../../domain/earning-rules.ts';

// A zone with daylight saving time, because claim windows must follow UTC wherever the service runs.
Settings.defaultZone = 'America/New_York';

const expiries: [startsAt: string, claimWindow: string, expiresAt: string][] = [
  ['2026-01-15T10:00:00.000Z', 'PT5S', '2026-01-15T10:00:05.000Z'],
  ['2026-12-31T23:59:59.999Z', 'PT5S', '2027-01-01T00:00:04.999Z'],
  ['2026-01-15T10:00:00.000Z', 'PT0.001S', '2026-01-15T10:00:00.001Z'],
  ['2026-01-15T10:00:00.000Z', 'PT36H', '2026-01-16T22:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1W', '2026-01-22T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P30D', '2026-02-14T10:00:00.000Z'],
  ['2026-02-15T10:00:00.000Z', 'P30D', '2026-03-17T10:00:00.000Z'],
  ['2024-02-15T10:00:00.000Z', 'P30D', '2024-03-16T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1M', '2026-02-15T10:00:00.000Z'],
  ['2026-01-31T10:00:00.000Z', 'P1M', '2026-02-28T10:00:00.000Z'],
  ['2024-01-31T10:00:00.000Z', 'P1M', '2024-02-29T10:00:00.000Z'],
  ['2026-03-31T10:00:00.000Z', 'P1M', '2026-04-30T10:00:00.000Z'],
  ['2026-02-28T10:00:00.000Z', 'P1M', '2026-03-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P1Y', '2025-02-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P4Y', '2028-02-29T10:00:00.000Z'],
  ['2024-02-28T10:00:00.000Z', 'P1D', '2024-02-29T10:00:00.000Z'],
  ['2026-02-28T10:00:00.000Z', 'P1D', '2026-03-01T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P10Y', '2036-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'PT87840H', '2036-01-23T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P10Y', '2034-02-28T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1Y2M3W4DT5H6M7.5S', '2027-04-09T15:06:07.500Z'],
  ['2026-03-07T22:00:00-05:00', 'P1D', '2026-03-09T03:00:00.000Z'],
];

for (const [startsAt, claimWindow, expiresAt] of expiries) {
  test(`a window of ${claimWindow} from ${startsAt} ends at ${expiresAt}`, (t) => {
    t.is(claimExpiry(startsAt, claimWindow), expiresAt);
  });
}

const outOfRange: [claimWindow: string, why: string][] = [
  ['PT0S', 'is zero'],
  ['P0D', 'is zero'],
  ['P', 'names no time'],
  ['PT', 'names no time'],
  ['PT0.0001S', 'is less than a millisecond'],
  ['P0.000000001D', 'is less than a millisecond'],
  ['-P1D', 'is negative'],
  ['P-1D', 'is negative'],
  ['PT-5S', 'is negative'],
  ['P1M-29D', 'could end before it starts'],
  ['P1Y-13M', 'could end before it starts'],
  ['P11Y', 'is longer than ten years'],
  ['P10Y1M', 'is longer than ten years'],
  ['P3661D', 'is longer than ten years'],
  ['PT87841H', 'is longer than ten years'],
  ['P99999999999999999999D', 'is longer than ten years'],
];

for (const [claimWindow, why] of outOfRange) {
  test(`a window of ${claimWindow} is refused: it ${why}`, (t) => {
    t.throws(() => parseClaimWindow(claimWindow), {
      instanceOf: RangeError,
      message: 'a claim window must be longer than zero and at most ten years',
    });
    t.throws(() => claimExpiry('2026-01-15T10:00:00.000Z', claimWindow), {
      instanceOf: RangeError,
    });
  });
}

const garbage = [
  '',
  ' ',
  '30',
  '30D',
  'P30',
  'P1H',
  'p30d',
  '+P1D',
  'PT5S ',
  'P1D P1D',
  'NaN',
  '∞',
];

for (const text of garbage) {
  test(`${JSON.stringify(text)} is refused: it is not an ISO 8601 duration`, (t) => {
    t.throws(() => parseClaimWindow(text), {
      instanceOf: RangeError,
      message: `"${text}" is not an ISO 8601 duration`,
    });
  });
}

test('an invalid start is refused', (t) => {
  t.throws(() => claimExpiry('yesterday', 'P1D'), { instanceOf: RangeError });
});

test('a window always ends after it starts, exactly its days and seconds later', (t) => {
  const instant = fc.date({
    min: new Date('2020-01-01T00:00:00.000Z'),
    max: new Date('2100-01-01T00:00:00.000Z'),
    noInvalidDate: true,
  });
  const days = fc.integer({ min: 0, max: 3_600 });
  const seconds = fc.integer({ min: 1, max: 86_400 });
  fc.assert(
    fc.property(instant, days, seconds, (start, d, s) => {
      const expiresAt = claimExpiry(start.toISOString(), `P${d}DT${s}S`);
      return Date.parse(expiresAt) === start.getTime() + (d * 86_400 + s) * 1_000;
    }),
  );
  t.pass();
});

test('a window of months ends in the right month, on its last day at the latest', (t) => {
  const instant = fc.date({
    min: new Date('2020-01-01T00:00:00.000Z'),
    max: new Date('2100-01-01T00:00:00.000Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 120 }), (start, months) => {
      const end = new Date(claimExpiry(start.toISOString(), `P${months}M`));
      const elapsedMonths =
        (end.getUTCFullYear() - start.getUTCFullYear()) * 12 +
        (end.getUTCMonth() - start.getUTCMonth());
      return elapsedMonths === months && end.getUTCDate() <= start.getUTCDate();
    }),
  );
  t.pass();
});

test('any text is parsed or refused with a RangeError', (t) => {
  const part = fc.constantFrom('P', 'T', '-', '.', '1', '0', '9', 'Y', 'M', 'W', 'D', 'H', 'S');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const start = '2026-01-31T10:00:00.000Z';
      try {
        return Date.parse(claimExpiry(start, parts.join(''))) > Date.parse(start);
      } catch (error) {
        return error instanceof RangeError;
      }
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});
