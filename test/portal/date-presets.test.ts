import test from 'ava';
import { presetsAt } from '../../portal/components/filters.ts';

const rangesAt = (iso: string) => Object.fromEntries(presetsAt(Date.parse(iso)));

test('date ranges include today, and a month starts on its first day', (t) => {
  t.deepEqual(rangesAt('2026-03-01T00:00:00Z'), {
    'Any day': {},
    Today: { from: '2026-03-01', to: '2026-03-01' },
    '7 days': { from: '2026-02-23', to: '2026-03-01' },
    '30 days': { from: '2026-01-31', to: '2026-03-01' },
    'This month': { from: '2026-03-01', to: '2026-03-01' },
    'Last month': { from: '2026-02-01', to: '2026-02-28' },
  });
});

test('the month before January is in the previous year', (t) => {
  t.deepEqual(rangesAt('2027-01-31T23:59:59Z')['Last month'], {
    from: '2026-12-01',
    to: '2026-12-31',
  });
});
