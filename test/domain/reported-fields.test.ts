import test from 'ava';
import { isInstant, isPrintable } from '../../domain/purchase.ts';

const instants = [
  '2026-01-31T09:30Z',
  '2026-01-31T09:30:15Z',
  '2026-01-31T09:30:15.1Z',
  '2026-01-31T09:30:15.123456789Z',
  '2026-01-31T09:30:00+01:00',
  '2026-01-31T09:30:00-0530',
];

for (const text of instants) test(`${text} is an instant`, (t) => t.true(isInstant(text)));

const others = [
  '',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-01-31 09:30:00Z',
  ' 2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00Z ',
  '+002026-01-31T09:30:00Z',
  '2026-01-31T09:30:00ZZ',
  '2026-01-31T09:30:15.Z',
  '2026-01-31T09:30:15.1234567891Z',
  '2026-02-30T09:30:00Z',
  '2026-01-31T25:30:00Z',
  '2026-01-31T09:30:00+99:00',
];

for (const text of others) {
  test(`${JSON.stringify(text)} is not an instant`, (t) => t.false(isInstant(text)));
}

test('control characters and lone surrogates cannot be printed', (t) => {
  for (const text of ['A1', 'Bestellung ä 🎁', '~', ' ']) t.true(isPrintable(text), text);
  for (const text of ['\u0000', 'a\nb', 'a\u001fb', 'a\u007f', 'a\ud83c']) {
    t.false(isPrintable(text), JSON.stringify(text));
  }
});
