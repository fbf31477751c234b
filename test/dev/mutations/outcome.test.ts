import test from 'ava';
import { type Outcome, outcomeOf } from '../../../dev/mutations/outcome.ts';

const usualMs = 40_000;

/** @param timesWithout the file's durations in ms without the change, one per measurement */
function runsThat(outcomes: Outcome[], timesWithout: number[] = []) {
  const limits: number[] = [];
  return {
    limits,
    withChange: async (limitMs: number) => {
      limits.push(limitMs);
      return outcomes.shift() ?? 'passed';
    },
    timeWithout: async () => timesWithout.shift() ?? usualMs,
  };
}

test('a change is noticed when the file fails twice in a row', async (t) => {
  const runs = runsThat(['failed', 'failed']);
  t.is(await outcomeOf(runs, usualMs), 'failed');
  t.is(runs.limits.length, 2);
});

test('a failure that does not recur is not attributed to the change', async (t) => {
  t.is(await outcomeOf(runsThat(['failed', 'passed']), usualMs), 'passed');
});

test('a file is stuck once it takes three times as long as without the change', async (t) => {
  const runs = runsThat(['did not end'], [usualMs]);
  t.is(await outcomeOf(runs, usualMs), 'did not end');
  t.deepEqual(runs.limits, [120_000]);
});

test('a file that takes longer without the change gets more time', async (t) => {
  const runs = runsThat(['did not end', 'passed'], [100_000]);
  t.is(await outcomeOf(runs, usualMs), 'passed');
  t.deepEqual(runs.limits, [120_000, 300_000]);
});

test('a short file gets at least a minute', async (t) => {
  const runs = runsThat(['passed']);
  await outcomeOf(runs, 1_000);
  t.deepEqual(runs.limits, [60_000]);
});
