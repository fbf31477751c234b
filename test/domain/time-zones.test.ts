import test from 'ava';
import { timeZones, zoneOfCountry } from '../../domain/time-zones.ts';

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
