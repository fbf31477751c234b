import test from 'ava';
import { isCurrency } from '../../domain/currencies.ts';
import { currenciesByLimitUnit, limitCentsOf, limitIn } from '../../domain/limit-units.ts';

test('a limit of one person’s day is a sensible sum in every currency', (t) => {
  const limit = 50_000;
  for (const [currency, amount] of [
    ['USD', 50_000],
    ['EUR', 50_000],
    ['JPY', 50_000],
    ['KWD', 100_000],
    ['IDR', 500_000_000],
    ['COP', 100_000_000],
    ['VND', 10_000_000],
  ] as const) {
    t.is(limitIn(limit, currency), amount, currency);
    t.is(limitCentsOf(amount, currency), limit, currency);
    t.is(limitCentsOf(amount + 1, currency), limit + 1, 'what is above it by one counts as more');
  }
  t.is(limitCentsOf(0, 'IDR'), 0);
});

test('each currency has one unit, which is 1, 2 or 5 of a power of ten', (t) => {
  const all = Object.values(currenciesByLimitUnit).flatMap((text) => text.split(' '));
  t.deepEqual([...new Set(all)], all);
  t.deepEqual(
    all.filter((currency) => !isCurrency(currency)),
    [],
  );
  for (const unit of Object.keys(currenciesByLimitUnit)) t.regex(unit, /^[125]0*$/);
});
