import test from 'ava';
import { timeZones, zoneOfCountry } from '../../domain/time-zones.ts';
import { dayStartMs } from '../../domain/utc-days.ts';

test('each offered zone can be formatted, and appears once under its current name', (t) => {
  t.is(timeZones[0], 'UTC');
  t.is(new Set(timeZones).size, timeZones.length);
  for (const timeZone of timeZones) {
    t.notThrows(() => new Intl.DateTimeFormat('en-GB', { timeZone }).format(0), timeZone);
  }
  for (const zone of ['Europe/Kyiv', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York']) {
    t.true(timeZones.includes(zone), zone);
  }
  t.false(timeZones.includes('Europe/Kiev'));
});

test('a country has a zone if its clocks agree, under any names', (t) => {
  t.is(zoneOfCountry('DE'), 'Europe/Berlin');
  t.is(zoneOfCountry('FR'), 'Europe/Paris');
  for (const several of ['ES', 'US', 'AU']) t.is(zoneOfCountry(several), null, several);
});

test('a day begins at midnight, UTC', (t) => {
  t.is(dayStartMs('2026-03-01'), Date.UTC(2026, 2, 1));
  t.is(dayStartMs('2024-02-29'), Date.UTC(2024, 1, 29));
});

for (const text of ['', '2026-02-29', '2026-13-01', '2026-3-1', '20260301', '2026-03-01T00:00Z']) {
  test(`${JSON.stringify(text)} is not a day`, (t) => {
    t.throws(() => dayStartMs(text), { instanceOf: RangeError });
  });
}
