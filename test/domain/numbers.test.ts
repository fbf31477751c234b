import test from 'ava';
import fc from 'fast-check';
import {
  type DecimalMark,
  decimalMarkOf,
  isReadTwoWays,
  parseCount,
  parseDecimal,
} from '../../domain/numbers.ts';

const thousands = ['1000', '1,000', '1.000', '1 000', '1\u00a0000', '1\u202f000', "1'000", '1’000'];
for (const text of thousands) {
  test(`${escape(text)} is a count of a thousand`, (t) => t.is(parseCount(text), 1_000));
}

const counts: [text: string, count: number | undefined][] = [
  ['0', 0],
  ['007', 7],
  ['12.345.678', 12_345_678],
  ['12,345,678', 12_345_678],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', undefined],
];
for (const text of [
  '',
  ' 1',
  '-1',
  '+1',
  '1.5',
  '1,5',
  '1.00',
  '1000.00',
  '1.000,00',
  '1,000.00',
  '0.500',
  '0,000',
  '1.0000',
  '1000.000',
  '1,00,000',
  '1,000.000',
  "1'000 000",
  '1e3',
  '0x10',
  '1_000',
  '٤',
  'ten',
]) {
  counts.push([text, undefined]);
}
for (const [text, count] of counts) {
  test(`${escape(text)} is ${count ?? 'no'} count`, (t) => t.is(parseCount(text), count));
}

test('every count is read back as any country writes it', (t) => {
  const property = fc.property(
    fc.nat({ max: 10 ** 12 }),
    fc.constantFrom('en', 'de', 'fr', 'es', 'de-CH', 'pt', 'pl'),
    (count, language) => parseCount(count.toLocaleString(language)) === count,
  );
  fc.assert(property);
  t.pass();
});

const factors: [text: string, mark: DecimalMark | undefined, hundredths: number | undefined][] = [
  ['1.5', undefined, 150],
  ['1,5', undefined, 150],
  ['1,5', '.', 150],
  ['1.25', ',', 125],
  ['2', undefined, 200],
  ['1.234,5', undefined, 123_450],
  ['1.500', undefined, undefined],
  ['1,500', undefined, undefined],
  ['1.500', '.', undefined],
  ['1,500', ',', undefined],
  ['1,500', '.', 150_000],
  ['1.500', ',', 150_000],
  ['1.555', undefined, undefined],
  ['1.5555', undefined, undefined],
];
for (const [text, mark, hundredths] of factors) {
  test(`${text} from a writer of ${mark ?? 'either mark'} is ${hundredths ?? 'no'} hundredths`, (t) =>
    t.is(parseDecimal(text, 2, mark), hundredths));
}

const marks: [text: string, mark: DecimalMark | undefined, isTwoWays: boolean][] = [
  ['49,90', ',', false],
  ['49.9', '.', false],
  ['1.234,50', ',', false],
  ['1,234.50', '.', false],
  ['1.234.567', ',', false],
  ['1,234,567', '.', false],
  ['0.500', '.', false],
  ['1234,500', ',', false],
  ['1 234,5', ',', false],
  ['1 234', undefined, false],
  ['1000', undefined, false],
  ['1,000', undefined, true],
  ['49.905', undefined, true],
  ['much', undefined, false],
];
for (const [text, mark, isTwoWays] of marks) {
  test(`${text} shows ${mark ?? 'no decimal mark'}${isTwoWays ? ', and is read two ways' : ''}`, (t) => {
    t.is(decimalMarkOf(text), mark);
    t.is(isReadTwoWays(text), isTwoWays);
  });
}
