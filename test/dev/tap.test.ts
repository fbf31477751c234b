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

test('the counts match the summary, and failures are shown in full', (t) => {
  const { shown, counts, failures } = read(lines, 1);
  t.deepEqual(shown, ['  ✘ a › c', '    message: no']);
  t.deepEqual(failures, ['a › c']);
  t.deepEqual(counts, { passed: 2, failed: 1 });
});

test('in verbose mode each test is a line, with its logs', (t) => {
  t.deepEqual(read(lines, 1, true).shown, [
    ...['  ✔ a › b', '    # said', '  ✘ a › c', '    message: no', '  ✔ a › d', '    # said'],
  ]);
});

test('a run without any test fails', (t) => {
  t.deepEqual(read(['TAP version 13', '# pass 0', '# fail 0'], 0).counts, { passed: 0, failed: 1 });
  t.deepEqual(read([], 0).counts, { passed: 0, failed: 1 });
});

test('a run that exits with an error fails, even if every test passed', (t) => {
  t.deepEqual(read(['# pass 3', '# fail 0'], 1).counts, { passed: 3, failed: 1 });
});
