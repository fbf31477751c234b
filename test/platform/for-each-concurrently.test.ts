import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { forEachConcurrently } from '../../platform/for-each-concurrently.ts';

test('every item is processed, in order, with limited concurrency', async (t) => {
  const started: number[] = [];
  let running = 0;
  let most = 0;
  await forEachConcurrently(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    started.push(item);
    running += 1;
    most = Math.max(most, running);
    await delay(1);
    running -= 1;
  });
  t.deepEqual(started, [1, 2, 3, 4, 5, 6, 7]);
  t.is(most, 3);
  t.is(running, 0);
});

test('after a failure nothing more is started, and the error is thrown', async (t) => {
  const started: number[] = [];
  const failing = forEachConcurrently(1, [1, 2, 3], async (item) => {
    started.push(item);
    if (item === 2) throw new Error('two');
  });
  await t.throwsAsync(failing, { message: 'two' });
  t.deepEqual(started, [1, 2]);
});
