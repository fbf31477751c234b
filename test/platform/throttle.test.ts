import test from 'ava';
import { throttle } from '../../platform/throttle.ts';

test('a check runs once a period, for any number of callers', async (t) => {
  let nowMs = 0;
  let checks = 0;
  const ask = throttle(
    1_000,
    () => nowMs,
    async () => ++checks,
  );
  t.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
  nowMs = 999;
  t.is(await ask(), 1);
  nowMs = 1_000;
  t.is(await ask(), 2);
});

test('a check that takes longer than the period does not overlap itself', async (t) => {
  let nowMs = 0;
  let checks = 0;
  const slow = Promise.withResolvers<string>();
  const ask = throttle(
    1_000,
    () => nowMs,
    () => {
      checks++;
      return slow.promise;
    },
  );
  const first = ask();
  nowMs = 5_000;
  const second = ask();
  slow.resolve('at last');
  t.deepEqual(await Promise.all([first, second]), ['at last', 'at last']);
  t.is(checks, 1);
});

test('a failed check is not repeated before its time', async (t) => {
  let nowMs = 0;
  let checks = 0;
  const ask = throttle(
    1_000,
    () => nowMs,
    async () => {
      if (++checks === 1) throw new Error('unavailable');
      return 'available';
    },
  );
  await t.throwsAsync(ask(), { message: 'unavailable' });
  await t.throwsAsync(ask(), { message: 'unavailable' });
  t.is(checks, 1);
  nowMs = 1_000;
  t.is(await ask(), 'available');
});
