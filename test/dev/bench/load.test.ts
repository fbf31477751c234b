import test from 'ava';
import { comparison, figuresIn, partsIn } from '../../../dev/bench/load/compare-commits.ts';
import {
  type Answers,
  figure,
  percentile,
  perSecond,
  table,
} from '../../../dev/bench/load/figures.ts';
import { completionRate, cpuMsOf, type PurchaseWindow } from '../../../dev/bench/load/purchases.ts';
import { mergedOf, type Results } from '../../../dev/bench/load/results.ts';
import { targetsOf } from '../../../dev/bench/load/targets.ts';

const answers = (fields: Partial<Answers> = {}): Answers => ({
  answered: 1_000,
  refused: {},
  p50: 10,
  p95: 20,
  max: 30,
  elapsedMs: 10_000,
  ...fields,
});

const sale = (fields: Partial<PurchaseWindow> = {}): PurchaseWindow => ({
  name: 'TEST',
  concurrency: 64,
  answers: answers(),
  mostBehind: 0,
  behindAtEnd: 0,
  catchUpMs: 0,
  completedPerSecond: 100,
  used: { cpuMs: {}, flushes: 0, refusedInserts: 0 },
  ...fields,
});

test('a percentile is the smallest value that this part of all does not exceed', (t) => {
  const values = [40, 10, 30, 20];
  t.is(percentile(values, 0.5), 20);
  t.is(percentile(values, 0.95), 40);
  t.is(percentile(values, 0), 10);
  t.is(percentile([], 0.5), Number.NaN);
});

test('a rate counts what was answered with success', (t) => {
  t.is(perSecond(answers({ answered: 50, refused: { 503: 50 }, elapsedMs: 2_000 })), 25);
});

test('a figure has three digits, and a dash where nothing was measured', (t) => {
  t.deepEqual([12_345.6, 12.345, 0.456, 7, undefined, Number.NaN].map(figure), [
    ...['12,346', '12.3', '0.46', '7', '–', '–'],
  ]);
});

test('a table aligns its figures', (t) => {
  t.is(
    table(
      ['what', '/s'],
      [
        ['floor', '1,200'],
        ['ours', '–'],
      ],
    ),
    ['| what  |    /s |', '| ----- | ----: |', '| floor | 1,200 |', '| ours  |     – |'].join('\n'),
  );
});

test('what waits after the last answer tells the pace of the workflows, where it is much', (t) => {
  t.is(completionRate(sale({ behindAtEnd: 800, catchUpMs: 10_000 })), 80);
  t.is(completionRate(sale({ behindAtEnd: 100, catchUpMs: 10_000 })), 50);
});

test('what a purchase costs counts the workers as one', (t) => {
  const cpuMs = { API: 500, worker: 6_000, 'second worker': 5_000 };
  const used = { cpuMs, flushes: 0, refusedInserts: 0 };
  const both = sale({ used });
  t.is(cpuMsOf(both, 'API'), 0.5);
  t.is(cpuMsOf(both, 'worker'), 11);
  t.is(cpuMsOf(both, 'Temporal'), undefined);
  t.like(
    targetsOf({ measured: [], sales: [both] }).find(({ what }) => what.includes('CPU')),
    { got: '11.5', isMet: true },
  );
});

test('a target is met or not, by the floors of the same run, and absent where one was not measured', (t) => {
  const results = (answered: number): Results => ({
    measured: [{ what: 'floor', concurrency: 64, answers: answers({ answered: 1_000 }) }],
    sales: [sale({ answers: answers({ answered, refused: { 503: 1 } }) })],
    emptyWorkflowsPerSecond: 100,
  });
  const told = (answered: number) =>
    targetsOf(results(answered)).map(({ what, isMet }) => [what, isMet]);
  const rest = [
    ['p95 at 64, in ms', true],
    ['refusals at 64', false],
    ['completed, of empty workflows', true],
  ];
  t.deepEqual(told(350), [['answers at 64, of the floor', true], ...rest]);
  t.deepEqual(told(349), [['answers at 64, of the floor', false], ...rest]);
  t.deepEqual(targetsOf({ measured: [], sales: [] }), []);
});

test('two runs are compared by the tables that they print, row by row', (t) => {
  const printed = (rate: string) =>
    [
      'Warming up …',
      table(
        ['what', 'at a time', 'answers/s', 'refused'],
        [
          ['floor', '16', '1,000', '0'],
          ['refunds', '16', rate, '–'],
        ],
      ),
      table(['what', 'wanted', 'got', ''], [['p95', '< 500', '20.5', 'met']]),
    ].join('\n\n');
  const figures = figuresIn(printed('250'));
  t.is(figures.get('refunds, 16: answers/s'), 250);
  t.is(figures.get('floor, 16: answers/s'), 1_000);
  t.is(figures.get('p95: got'), 20.5);
  t.false(figures.has('refunds, 16: refused'));
  const ours = ['500', '100', '600'].map((rate) => figuresIn(printed(rate)));
  const compared = comparison('abc', ours, [figures]);
  t.regex(compared, /refunds, 16: answers\/s +\| +250 \| +500 \| +2 \|/);
});

test('what could not be compared meets no target', (t) => {
  const none = answers({ answered: 0 });
  const results: Results = {
    measured: [{ what: 'floor', concurrency: 64, answers: none }],
    sales: [sale({ answers: none })],
  };
  t.like(targetsOf(results)[0], { what: 'answers at 64, of the floor', got: '–', isMet: false });
});

test('the parts that another commit knows are those that its help names', (t) => {
  const help = [
    'Options:',
    '  --only <parts...>  these parts alone; prints only (choices: "orders",',
    '                     "two", "reads")',
    '  --quick            everything, short (prints only)',
  ].join('\n');
  t.deepEqual(partsIn(help), ['orders', 'two', 'reads']);
  t.deepEqual(partsIn('Options:'), []);
});

test('parts that are measured one after another tell what one run would', (t) => {
  const floor = { what: 'floor', concurrency: 64, answers: answers() } as const;
  const parts: Results[] = [
    { measured: [floor], sales: [sale()] },
    { measured: [], sales: [], emptyWorkflowsPerSecond: 100 },
  ];
  t.deepEqual(mergedOf(parts), {
    measured: [floor],
    sales: [sale()],
    emptyWorkflowsPerSecond: 100,
  });
});
