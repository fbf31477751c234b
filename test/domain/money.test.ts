import test from 'ava';
import { formatCents, formatMicros } from '../../domain/money.ts';

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
