import test from 'ava';
import { TapReader } from '../../dev/test/tap.ts';

function read(lines: string[], exitCode: number, isVerbose = false) {
  const reader = new TapReader({ isVerbose });
  const shown = lines.map((line) => reader.read(line)).filter((line) => line !== undefined);
  return { shown, counts: reader.counts(exitCode), failures: reader.failures };
}

const lines = [
  ...[
    'TAP version 13',
    'ok 1 - a › b',
    '    # said',
    'not ok 2 - a › c',
    '  ---',
    '    message: no',
  ],
  ...['  ...', '# a › after hook', 'ok 3 - a › d', '    # said', '', '1..3'],
  ...['# tests 3', '# pass 2', '# fail 1'],
];

test('the counts are those of the summary, and what failed is shown whole', (t) => {
  const { shown, counts, failures } = read(lines, 1);
  t.deepEqual(shown, ['  ✘ a › c', '    message: no']);
  t.deepEqual(failures, ['a › c']);
  t.deepEqual(counts, { passed: 2, failed: 1 });
});

test('where every test is to be shown, each is a line, with what it said', (t) => {
  t.deepEqual(read(lines, 1, true).shown, [
    ...['  ✔ a › b', '    # said', '  ✘ a › c', '    message: no', '  ✔ a › d', '    # said'],
  ]);
});

test('a run without a single test has failed', (t) => {
  t.deepEqual(read(['TAP version 13', '# pass 0', '# fail 0'], 0).counts, { passed: 0, failed: 1 });
  t.deepEqual(read([], 0).counts, { passed: 0, failed: 1 });
});

test('a run that ends badly has failed, even if no test did', (t) => {
  t.deepEqual(read(['# pass 3', '# fail 0'], 1).counts, { passed: 3, failed: 1 });
});
