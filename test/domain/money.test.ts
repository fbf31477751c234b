import test from 'ava';
import {
  formatCents,
  formatMicros,
  microsText,
  moneyText,
  parseCents,
} from '../../domain/money.ts';

const amounts: [cents: number, text: string][] = [
  [0, '0.00'],
  [7, '0.07'],
  [-7, '-0.07'],
  [123_456, '1234.56'],
  [-123_456, '-1234.56'],
];

for (const [cents, text] of amounts) {
  test(`${cents} cents are formatted as ${text}`, (t) => t.is(formatCents(cents, 'USD'), text));
}

const micros: [micros: number, text: string][] = [
  [0, '0.00'],
  [10_000, '0.01'],
  [12_345, '0.012345'],
  [12_300, '0.0123'],
  [1_500_000, '1.50'],
];

for (const [value, text] of micros) {
  test(`${value} micros are formatted as ${text}`, (t) => t.is(formatMicros(value), text));
}

for (const [currency, written, shown] of [
  ['USD', '49.90', '$49.90'],
  ['JPY', '4990', '¥4,990'],
  ['KWD', '4.990', 'KWD\u00a04.990'],
] as const) {
  test(`4990 is ${shown} in ${currency}, and is read back from ${written}`, (t) => {
    t.is(formatCents(4_990, currency), written);
    t.is(moneyText(4_990, currency), shown);
    t.is(parseCents(written, currency), 4_990);
  });
}

test('an amount with more decimals than its currency has is none', (t) => {
  t.is(parseCents('49.901', 'USD'), undefined);
  t.is(parseCents('49.9', 'USD'), 4_990);
  t.is(parseCents('4.9', 'JPY'), undefined);
  t.is(parseCents('4990.00', 'JPY'), 4_990);
  t.is(parseCents('4.000', 'JPY'), undefined);
  t.is(parseCents('4.9901', 'KWD'), undefined);
  for (const wrong of ['', '-1', '1e3', '1,000', '.5', '5.', '9007199254740993']) {
    t.is(parseCents(wrong, 'USD'), undefined, wrong);
  }
});

test('a price per point has up to six decimals in any currency', (t) => {
  t.is(microsText(12_345, 'USD'), '$0.012345');
  t.is(microsText(1_000_000, 'JPY'), '¥1');
  t.is(microsText(10_000, 'JPY'), '¥0.01');
  t.is(microsText(1_500_000, 'KWD'), 'KWD\u00a01.500');
});
