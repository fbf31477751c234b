import test from 'ava';
import { TapReader } from '../../dev/test/tap.ts';

function read(lines: string[], exitCode: number) {
  const reader = new TapReader();
  const shown = lines.map((line) => reader.read(line)).filter((line) => line !== undefined);
  return { shown, counts: reader.counts(exitCode) };
}

test('the counts are those of the summary, and each test is one readable line', (t) => {
  const lines = ['TAP version 13', 'ok 1 - a › b', 'not ok 2 - a › c', '  ---', '    message: no'];
  const summary = ['', '1..2', '# tests 2', '# pass 1', '# fail 1'];
  const { shown, counts } = read([...lines, ...summary], 1);
  t.deepEqual(shown, ['  ✔ a › b', '  ✘ a › c', '    message: no']);
  t.deepEqual(counts, { passed: 1, failed: 1 });
});

test('a run without a single test has failed', (t) => {
  t.deepEqual(read(['TAP version 13', '# pass 0', '# fail 0'], 0).counts, { passed: 0, failed: 1 });
  t.deepEqual(read([], 0).counts, { passed: 0, failed: 1 });
});

test('a run that ends badly has failed, even if no test did', (t) => {
  t.deepEqual(read(['# pass 3', '# fail 0'], 1).counts, { passed: 3, failed: 1 });
});
