import test from 'ava';
import { moneyField } from '../../portal/forms/fields.ts';

const cents = moneyField('cents', { max: 1_000_000 });
const micros = moneyField('micros');

const read: [text: string, cents: number][] = [
  ['49.90', 4_990],
  ['49.9', 4_990],
  ['49', 4_900],
  ['0', 0],
  ['0.07', 7],
  [' 1,234.56 ', 123_456],
  ['1000000.00', 100_000_000],
  // In floating point this is 1.15 × 100 = 114.99999999999999.
  ['1.15', 115],
];
for (const [text, amount] of read) {
  test(`${JSON.stringify(text)} is ${amount} cents`, (t) => {
    t.is(cents.validate(text).value, amount);
  });
}

for (const text of [
  '-1',
  '+1',
  '1e3',
  '1.005',
  '1.',
  '.5',
  'ten',
  '0x10',
  '1000000.01',
  '١',
  '1 000',
]) {
  test(`${JSON.stringify(text)} is not an amount`, (t) => {
    const [problem] = cents.validate(text).error?.details ?? [];
    t.is(
      problem?.message,
      'Enter an amount from 0 to 1,000,000 with at most 2 decimals, such as 49.90.',
    );
  });
}

test('micros have six decimals', (t) => {
  t.is(micros.validate('0.012345').value, 12_345);
  t.is(micros.validate('2').value, 2_000_000);
  t.truthy(micros.validate('0.0123456').error);
});
