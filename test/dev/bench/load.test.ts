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
import { mediansOf, type WorkflowRound } from '../../../dev/bench/load/workflows.ts';

const answers = (fields: Partial<Answers> = {}): Answers => ({
  answered: 1_000,
  errors: {},
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
  peakBacklog: 0,
  finalBacklog: 0,
  drainMs: 0,
  completedPerSecond: 100,
  used: { cpuMs: {}, flushes: 0, duplicateKeyErrors: 0 },
  ...fields,
});

/** @param empty how many empty workflows, and how many purchases, are completed per second */
const round = (empty: number, purchases: number): WorkflowRound => ({
  empty: { perSecond: empty, ownCpuMs: 8, temporalCpuMs: 15 },
  described: { perSecond: empty, ownCpuMs: 12, temporalCpuMs: 20 },
  twoActivities: { perSecond: empty / 2, ownCpuMs: 16, temporalCpuMs: 20 },
  purchase: { perSecond: purchases, ownCpuMs: 12, temporalCpuMs: 15 },
});

test('a percentile is the smallest value that this share of all values does not exceed', (t) => {
  const values = [40, 10, 30, 20];
  t.is(percentile(values, 0.5), 20);
  t.is(percentile(values, 0.95), 40);
  t.is(percentile(values, 0), 10);
  t.is(percentile([], 0.5), Number.NaN);
});

test('a rate counts only successful responses', (t) => {
  t.is(perSecond(answers({ answered: 50, errors: { 503: 50 }, elapsedMs: 2_000 })), 25);
});

test('a figure has three digits, or is a dash if nothing was measured', (t) => {
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

test('a large backlog after the last response gives the rate of the workflows', (t) => {
  t.is(completionRate(sale({ finalBacklog: 800, drainMs: 10_000 })), 80);
  t.is(completionRate(sale({ finalBacklog: 100, drainMs: 10_000 })), 50);
});

test('the cost of a purchase adds up all workers', (t) => {
  const cpuMs = { API: 500, worker: 6_000, 'second worker': 5_000 };
  const used = { cpuMs, flushes: 0, duplicateKeyErrors: 0 };
  const both = sale({ used });
  t.is(cpuMsOf(both, 'API'), 0.5);
  t.is(cpuMsOf(both, 'worker'), 11);
  t.is(cpuMsOf(both, 'Temporal'), undefined);
  t.like(
    targetsOf({ measured: [], sales: [both] }).find(({ what }) => what.includes('CPU')),
    { measured: '11.5', isMet: true },
  );
});

test('a target is met or missed against the floors of the same run, and omitted without a floor', (t) => {
  const results = (answered: number): Results => ({
    measured: [{ what: 'floor', concurrency: 64, answers: answers({ answered: 1_000 }) }],
    sales: [sale({ answers: answers({ answered, errors: { 503: 1 } }) })],
    workflows: mediansOf([round(100, 90)]),
  });
  const outcomes = (answered: number) =>
    targetsOf(results(answered)).map(({ what, isMet }) => [what, isMet]);
  const rest = [
    ['p95 at concurrency 64, ms', true],
    ['errors at concurrency 64', false],
    ['completed/s, relative to empty workflows', true],
    ['completed/s, relative to workflows with two local activities', true],
  ];
  t.deepEqual(outcomes(350), [['throughput at concurrency 64, relative to floor', true], ...rest]);
  t.deepEqual(outcomes(349), [['throughput at concurrency 64, relative to floor', false], ...rest]);
  t.deepEqual(targetsOf({ measured: [], sales: [] }), []);
});

test('purchases are compared with the floors of their own rounds', (t) => {
  // The machine became half as fast, and then as fast as before.
  const { costs, relative } = mediansOf([round(100, 80), round(50, 40), round(100, 90)]);
  t.is(costs.empty.perSecond, 100);
  t.is(costs.purchase.perSecond, 80);
  t.deepEqual(relative.empty, { perSecond: 0.8, ownCpuMs: 1.5, temporalCpuMs: 1 });
  t.is(relative.twoActivities.perSecond, 1.6);
});

test('two runs are compared by their printed tables, row by row', (t) => {
  const printed = (rate: string) =>
    [
      'Warming up …',
      table(
        ['operation', 'concurrency', 'responses/s', 'errors'],
        [
          ['floor', '16', '1,000', '0'],
          ['refunds', '16', rate, '–'],
        ],
      ),
      table(['metric', 'target', 'measured', ''], [['p95', '< 500', '20.5', 'met']]),
    ].join('\n\n');
  const figures = figuresIn(printed('250'));
  t.is(figures.get('refunds, 16: responses/s'), 250);
  t.is(figures.get('floor, 16: responses/s'), 1_000);
  t.is(figures.get('p95: measured'), 20.5);
  t.false(figures.has('refunds, 16: errors'));
  const ours = ['500', '100', '600'].map((rate) => figuresIn(printed(rate)));
  const compared = comparison('abc', ours, [figures]);
  t.regex(compared, /refunds, 16: responses\/s +\| +250 \| +500 \| +2 \|/);
});

test('a target without figures to compare is not met', (t) => {
  const none = answers({ answered: 0 });
  const results: Results = {
    measured: [{ what: 'floor', concurrency: 64, answers: none }],
    sales: [sale({ answers: none })],
  };
  t.like(targetsOf(results)[0], {
    what: 'throughput at concurrency 64, relative to floor',
    measured: '–',
    isMet: false,
  });
});

test('the parts of another commit are those listed by its help', (t) => {
  const help = [
    'Options:',
    '  --only <parts...>  measure only these parts, without writing the page (choices: "orders",',
    '                     "two", "reads")',
    '  --quick            measure everything briefly',
  ].join('\n');
  t.deepEqual(partsIn(help), ['orders', 'two', 'reads']);
  t.deepEqual(partsIn('Options:'), []);
});

test('parts measured separately merge into the results of one run', (t) => {
  const floor = { what: 'floor', concurrency: 64, answers: answers() } as const;
  const workflows = mediansOf([round(100, 90)]);
  const parts: Results[] = [
    { measured: [floor], sales: [sale()] },
    { measured: [], sales: [], workflows },
  ];
  t.deepEqual(mergedOf(parts), {
    measured: [floor],
    sales: [sale()],
    workflows,
  });
});
