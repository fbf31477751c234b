import test from 'ava';
import { dayStartMs } from '../../domain/utc-days.ts';

test('a day begins at midnight, UTC', (t) => {
  t.is(dayStartMs('2026-03-01'), Date.UTC(2026, 2, 1));
  t.is(dayStartMs('2024-02-29'), Date.UTC(2024, 1, 29));
});

for (const text of ['', '2026-02-29', '2026-13-01', '2026-3-1', '20260301', '2026-03-01T00:00Z']) {
  test(`${JSON.stringify(text)} is not a day`, (t) => {
    t.throws(() => dayStartMs(text), { instanceOf: RangeError });
  });
}
