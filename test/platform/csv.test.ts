import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { type Options, parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { amountCell, csvOf, pastedText, spreadsheetText } from '../../platform/csv.ts';
import { eventually } from '../helpers/eventually.ts';

const hostile: [text: string, shown: string][] = [
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\tone', "'\tone"],
  ['\r=1', "'\r'=1"],
  ['  =1', "'  =1"],
  ['\n=1', "\n'=1"],
  ['＝1+1', "'＝1+1"],
  ['"=1', '\'"=1'],
  ['x;=1+1', "x;'=1+1"],
  ['x\t=1+1', "x\t'=1+1"],
  ['x\r\n=1+1', "x\r\n'=1+1"],
  ['x;"=1+1"', 'x;"\'=1+1"'],
  ['order-1', 'order-1'],
  ['a=b', 'a=b'],
  ['', ''],
];

for (const [text, shown] of hostile) {
  test(`${JSON.stringify(text)} is written as ${JSON.stringify(shown)}`, (t) => {
    t.is(spreadsheetText(text), shown);
  });
}

const columns = Object.fromEntries(
  [0, 1, 2].map((at) => [`column ${at}`, (row: (string | number | null)[]) => row[at]] as const),
);

const written = async (rows: (string | number | null)[][]) => await buffer(csvOf(columns, rows));

test('the CSV starts with a byte order mark, quotes every text, and leaves numbers unquoted', async (t) => {
  const bytes = await written([
    ['über', -5, null],
    ['a "b"', 7, ''],
  ]);
  t.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  t.is(
    bytes.subarray(3).toString('utf8'),
    '"column 0","column 1","column 2"\r\n"über",-5,\r\n"a ""b""",7,""\r\n',
  );
});

test('an amount is in units of its currency, unquoted, and no formula when it is negative', async (t) => {
  const amounts = { amount: (row: [number, string]) => amountCell(...row) };
  const rows: [number, string][] = [
    [4_990, 'EUR'],
    [-5, 'USD'],
    [4_990, 'JPY'],
    [4_990, 'KWD'],
    [100_000_000_000_001, 'USD'],
  ];
  const [, ...lines] = (await buffer(csvOf(amounts, rows))).toString('utf8').trim().split('\r\n');
  t.deepEqual(lines, ['49.90', '-0.05', '4990', '4.990', '1000000000000.01']);
});

test('a table without rows has its header', async (t) => {
  t.is((await written([])).subarray(3).toString(), '"column 0","column 1","column 2"\r\n');
});

const nasty = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', '＝', '\t', '\r', '\n', ' ', ',', ';', '"', "'", 'a'),
  maxLength: 12,
});

/** The rows as parsed with these options; none if the parser fails. */
function rowsOrNone(text: string, options: Options): string[][] {
  try {
    return parse(text, options) as string[][];
  } catch {
    return [];
  }
}

test('any text is free of formulas for every reader, and ours reads it back', async (t) => {
  const begins = /^["\s]*[=+\-@＝＋－＠]/;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(nasty, nasty, nasty), { maxLength: 4 }), async (rows) => {
      const text = (await written(rows)).subarray(3).toString('utf8');
      const read: string[][] = parse(text, { record_delimiter: '\r\n' });
      t.deepEqual(
        read.slice(1),
        rows.map((row) => row.map(spreadsheetText)),
      );
      // Readers that expect another separator, and readers that ignore quotes.
      const options = { relax_quotes: true, relax_column_count: true, record_delimiter: '\r\n' };
      const readings = [
        ...[',', ';', '\t'].map((delimiter) => rowsOrNone(text, { ...options, delimiter })),
        ...[/,/, /;/, /\t/].map((at) => text.split(/[\r\n]+/).map((line) => line.split(at))),
      ];
      for (const cell of readings.flat(2)) t.notRegex(cell, begins, JSON.stringify(text));
    }),
    { numRuns: 500 },
  );
});

test('rows are fetched no faster than they are read', async (t) => {
  let taken = 0;
  const rows = async function* () {
    for (; taken < 100_000; taken++) yield ['a', 'b', 'c'];
  };
  const stream = csvOf(columns, rows());
  stream.read(1);
  await new Promise((resolve) => stream.once('readable', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  t.true(taken > 0);
  t.true(taken < 20_000, `${taken} rows were taken`);
  stream.destroy();
});

test('an error in the rows reaches the reader', async (t) => {
  const rows = async function* () {
    yield ['a', 'b', 'c'];
    throw new Error('the database is unavailable');
  };
  await t.throwsAsync(buffer(csvOf(columns, rows())), { message: 'the database is unavailable' });
});

test('when the reader stops, the rows stop', async (t) => {
  let isOver = false;
  const rows = async function* () {
    try {
      for (;;) yield ['a', 'b', 'c'];
    } finally {
      isOver = true;
    }
  };
  for await (const _ of csvOf(columns, rows())) break;
  await eventually(async () => isOver, 'the generator ends');
  t.pass();
});

test('what was escaped can be pasted back', (t) => {
  for (const text of [
    '=1+1',
    '@never',
    '-1',
    '+49',
    '\t=a',
    '"=a"',
    'A1',
    "it's",
    'a,=b',
    'a; @b',
    '＝1',
  ]) {
    t.is(pastedText(spreadsheetText(text)), text, text);
  }
});
