import test from 'ava';
import { vatOf } from '../../domain/vat.ts';

const german = { country: 'DE', rate: 1_900 };
const british = { country: 'GB', rate: 2_000 };

const charged = (rate: number, cents: number) => ({ rate, cents, because: null });
const none = (because: 'REVERSE_CHARGE' | 'OUTSIDE') => ({ rate: 0, cents: 0, because });

for (const [terms, country, taxId, totalCents, expected] of [
  [null, 'DE', 'DE1', 4_900, null],
  [german, 'DE', 'DE1', 4_900, charged(1_900, 782)],
  [german, 'DE', null, 11_900, charged(1_900, 1_900)],
  [german, 'DE', null, 0, charged(1_900, 0)],
  [german, 'FR', 'FR1', 4_900, none('REVERSE_CHARGE')],
  [german, 'FR', null, 4_900, charged(1_900, 782)],
  [german, 'CH', 'CHE1', 4_900, none('OUTSIDE')],
  [german, 'US', null, 4_900, none('OUTSIDE')],
  [british, 'GB', null, 12_000, charged(2_000, 2_000)],
  [british, 'DE', 'DE1', 12_000, none('OUTSIDE')],
  // Rounded half up: 1 % of 1.01 included.
  [{ country: 'DE', rate: 100 }, 'DE', null, 50, charged(100, 0)],
  [{ country: 'DE', rate: 100 }, 'DE', null, 51, charged(100, 1)],
  [
    { country: 'DE', rate: 750 },
    'DE',
    null,
    9_007_199_254_740_991,
    charged(750, 628_409_250_330_767),
  ],
] as const) {
  const of = terms === null ? 'no VAT' : `${terms.rate} in ${terms.country}`;
  test(`VAT of ${totalCents}, by ${of}, for ${taxId ?? 'no tax number'} in ${country}`, (t) => {
    t.deepEqual(vatOf(terms, { country, taxId }, totalCents), expected);
  });
}
