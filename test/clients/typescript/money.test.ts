import test from 'ava';
import fc from 'fast-check';
import {
  amountText,
  microsText,
  moneyText,
  parseCents,
} from '../../../clients/typescript/cli/money.ts';

test('an amount is converted to whole cents, digit by digit', (t) => {
  t.is(parseCents('49.90'), 4990);
  t.is(parseCents('49.9'), 4990);
  t.is(parseCents('49'), 4900);
  t.is(parseCents('0'), 0);
  t.is(parseCents('0.07'), 7);
  t.is(parseCents('1.15'), 115);
  t.is(parseCents('4.35'), 435);
  t.is(parseCents('1000000.00'), 100_000_000);
});

test('an amount that is not whole cents up to the limit is refused', (t) => {
  const wrong = [
    '49.905',
    '-1',
    '+1',
    '1e3',
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '49,90',
    '1,000.00',
    '0x10',
  ];
  for (const text of [...wrong, 'NaN', 'Infinity', '1000000.01', '99999999', '٤', '1\n']) {
    t.throws(() => parseCents(text), { instanceOf: RangeError }, text);
  }
});

test('every amount of cents can be parsed as written', (t) => {
  const property = fc.property(fc.nat({ max: 100_000_000 }), (cents) => {
    return parseCents((cents / 100).toFixed(2)) === cents;
  });
  fc.assert(property);
  t.pass();
});

test('money is printed as the portal shows it', (t) => {
  t.is(moneyText(5, 'USD'), '$0.05');
  t.is(moneyText(-50, 'EUR'), '-€0.50');
  t.is(moneyText(123456, 'CHF'), 'CHF\u00a01,234.56');
  t.is(microsText(1500, 'USD'), '$0.0015');
  t.is(microsText(12_000_000, 'USD'), '$12.00');
  t.is(amountText(123456), '1,234.56');
  t.is(amountText(0), '0.00');
});
