import test from 'ava';
import { type Answers, figure, percentile, perSecond } from '../../prove/bench/figures.ts';
import { completionRate, type Pair, tableBesideFloor } from '../../prove/bench/harness.ts';

const answers = (fields: Partial<Answers> = {}): Answers => ({
  answered: 1_000,
  errors: {},
  p50: 10,
  p95: 20,
  elapsedMs: 10_000,
  ...fields,
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
  t.deepEqual([12_345.6, 12.345, 0.456, 7, Number.NaN, 'none'].map(figure), [
    ...['12,346', '12.3', '0.46', '7', '–', 'none'],
  ]);
});

test('a large backlog after the last response gives the rate of the workflows', (t) => {
  t.is(completionRate(answers(), 800, 10_000), 80);
  t.is(completionRate(answers(), 100, 10_000), 50);
});

test('ours is compared with the floor of the same round', (t) => {
  const round = (floor: number, ours: number): Pair => ({
    floor: answers({ answered: floor }),
    ours: answers({ answered: ours, errors: { 503: 1 } }),
  });
  // The machine became half as fast, and then as fast as before.
  const pairs = [round(1_000, 800), round(500, 400), round(1_000, 900)];
  const { rows } = tableBesideFloor('Purchases', new Map([[16, pairs]]));
  t.deepEqual(rows, [[16, 100, 80, 0.8, 10, 10, 20, 20, 3]]);
});
