import test from 'ava';
import { createWindows } from '../../http/limits.ts';

const clock = () => {
  let nowMs = 0;
  return {
    elapsedMs: () => nowMs,
    pass(ms: number) {
      nowMs += ms;
    },
  };
};

test('a window lets a limited number through per key, and the next window starts anew', (t) => {
  const { elapsedMs, pass } = clock();
  const windows = createWindows({ limit: 2, windowMs: 60_000, elapsedMs });
  t.deepEqual(windows.take('a'), { isGranted: true, resetSeconds: 60 });
  pass(30_500);
  t.deepEqual(windows.take('a'), { isGranted: true, resetSeconds: 30 });
  t.false(windows.take('a').isGranted);
  t.true(windows.take('b').isGranted);
  pass(29_500);
  t.true(windows.take('a').isGranted);
});

test('a success is forgotten', (t) => {
  const windows = createWindows({ limit: 1, windowMs: 60_000 });
  windows.take('a');
  windows.clear('a');
  t.true(windows.take('a').isGranted);
});

test('the table is bounded: the least recently seen key is evicted', (t) => {
  const windows = createWindows({ limit: 1, windowMs: 60_000, tableSize: 2 });
  for (const key of ['a', 'b', 'c']) windows.take(key);
  t.true(windows.take('a').isGranted);
  t.false(windows.take('c').isGranted);
});
