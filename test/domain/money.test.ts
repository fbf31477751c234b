import test from 'ava';
import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js';
import { currencyOfCountry, isCurrency } from '../../domain/currencies.ts';
import {
  formatCents,
  formatMicros,
  microsText,
  moneyText,
  parseCents,
  parseMicros,
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

const read: [text: string, currency: string, cents: number | undefined][] = [
  ['49.90', 'USD', 4_990],
  ['49,90', 'USD', 4_990],
  ['49.9', 'USD', 4_990],
  ['0,05', 'USD', 5],
  ['1000,50', 'USD', 100_050],
  ['1,000.50', 'USD', 100_050],
  ['1.000,50', 'USD', 100_050],
  ['1 000,50', 'USD', 100_050],
  ["1'000.50", 'USD', 100_050],
  ['1 000', 'USD', 100_000],
  ['1.234.567', 'USD', 123_456_700],
  ['1,234,567', 'USD', 123_456_700],
  ['49.9000', 'USD', 4_990],
  ['4990.00', 'JPY', 4_990],
  ['4.990', 'KWD', 4_990],
  ['1,000.500', 'KWD', 1_000_500],
  ['1,000', 'KWD', undefined],
  ['4.9901', 'KWD', undefined],
  ['4.9', 'JPY', undefined],
  ['49.905', 'USD', undefined],
  ['1.000', 'USD', undefined],
  ['1,000', 'USD', undefined],
  ['49,905', 'USD', undefined],
  ['4,990', 'JPY', undefined],
  ['4.000', 'JPY', undefined],
  ['0.050', 'USD', undefined],
  ['1,00,000', 'USD', undefined],
  ['1,0001', 'USD', undefined],
  ['1000,000', 'USD', undefined],
  ['1,000,50', 'USD', undefined],
  ['1,000.000', 'USD', undefined],
  ["1'000 000", 'USD', undefined],
];
for (const text of [
  '',
  '-1',
  '+1',
  '1e3',
  '0x10',
  '.5',
  '5.',
  ' 1',
  '1\n',
  '٤',
  '9007199254740993',
]) {
  read.push([text, 'USD', undefined]);
}

for (const [text, currency, cents] of read) {
  test(`${JSON.stringify(text)} in ${currency} is ${cents ?? 'no amount'}`, (t) =>
    t.is(parseCents(text, currency), cents));
}

const readBy: [
  text: string,
  currency: string,
  point: number | undefined,
  comma: number | undefined,
][] = [
  ['1,000', 'USD', 100_000, undefined],
  ['1.000', 'USD', undefined, 100_000],
  ['49,905', 'EUR', 4_990_500, undefined],
  ['49.905', 'EUR', undefined, 4_990_500],
  ['4,990', 'JPY', 4_990, undefined],
  ['4.990', 'JPY', undefined, 4_990],
  ['4.990', 'KWD', 4_990, 4_990_000],
  ['4,990', 'KWD', 4_990_000, 4_990],
  ['49,90', 'USD', 4_990, 4_990],
  ['1.000,50', 'USD', 100_050, 100_050],
];

for (const [text, currency, point, comma] of readBy) {
  test(`${text} in ${currency} is read by the decimal mark of its writer`, (t) => {
    t.is(parseCents(text, currency, '.'), point);
    t.is(parseCents(text, currency, ','), comma);
  });
}

test('a price per point is read with up to six decimals, and not where it could be thousands', (t) => {
  t.is(parseMicros('0.012345'), 12_345);
  t.is(parseMicros('0,010'), 10_000);
  t.is(parseMicros('1.000'), 1_000_000);
  t.is(parseMicros('1,000'), undefined);
});

test('every amount is read back as it is written, plain or grouped', (t) => {
  const property = fc.property(
    fc.nat({ max: 100_000_000_000 }),
    fc.constantFrom('USD', 'JPY', 'KWD'),
    (cents, currency) => {
      const grouped = moneyText(cents, currency).replace(/[^\d.,]/g, '');
      const texts = [formatCents(cents, currency), grouped, grouped.replaceAll(',', '\u202f')];
      return texts.every((text) => parseCents(text, currency, '.') === cents);
    },
  );
  fc.assert(property);
  t.pass();
});

test('a price per point has up to six decimals in any currency', (t) => {
  t.is(microsText(12_345, 'USD'), '$0.012345');
  t.is(microsText(1_000_000, 'JPY'), '¥1');
  t.is(microsText(10_000, 'JPY'), '¥0.01');
  t.is(microsText(1_500_000, 'KWD'), 'KWD\u00a01.500');
});

test('every country that a profile accepts has a currency', (t) => {
  t.deepEqual(
    getCountries().filter((country) => !isCurrency(currencyOfCountry(country) ?? '')),
    [],
  );
  for (const [country, currency] of [
    ['US', 'USD'],
    ['DE', 'EUR'],
    ['GB', 'GBP'],
    ['JP', 'JPY'],
    ['VE', 'VES'],
    ['SN', 'XOF'],
  ] as const) {
    t.is(currencyOfCountry(country), currency);
  }
});
