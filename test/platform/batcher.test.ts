import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { type BatchOptions, createBatcher } from '../../platform/batcher.ts';
import { throttle } from '../../platform/throttle.ts';

interface NumberRequest {
  number: number;
}

/** A batcher that doubles numbers and records its batches with their keys. */
function doubling(terms: Partial<BatchOptions> = {}) {
  const done: { key: string; numbers: number[] }[] = [];
  let atWork = 0;
  const double = createBatcher<NumberRequest, number>(
    { maxBatch: 100, ...terms },
    async (key, jobs) => {
      atWork += 1;
      if (atWork > 1) throw new Error('two batches of a key at once');
      done.push({ key, numbers: jobs.map(({ number }) => number) });
      await turn();
      atWork -= 1;
      for (const { number, resolve, reject } of jobs) {
        if (number < 0) reject(new Error(`${number} is refused`));
        else resolve(number * 2);
      }
    },
  );
  return { double, done };
}

test('concurrent requests are batched in order, up to a maximum size', async (t) => {
  const { double, done } = doubling({ maxBatch: 3 });
  const numbers = [1, 2, 3, 4, 5];
  const doubled = await Promise.all(numbers.map((number) => double('a', { number })));
  t.deepEqual(doubled, [2, 4, 6, 8, 10]);
  t.deepEqual(
    done.map((batch) => batch.numbers),
    [
      [1, 2, 3],
      [4, 5],
    ],
  );
  t.is(await double('a', { number: 7 }), 14, 'a later request is processed too');
});

test('requests during a batch are batched after it', async (t) => {
  const { double, done } = doubling();
  const first = double('a', { number: 1 });
  while (done.length === 0) await turn();
  await Promise.all([first, double('a', { number: 2 }), double('a', { number: 3 })]);
  t.deepEqual(
    done.map((batch) => batch.numbers),
    [[1], [2, 3]],
  );
});

test('after a batch, the next one waits to reach the same size', async (t) => {
  const { double, done } = doubling({ maxWaitMs: 60_000 });
  t.is(await double('a', { number: 1 }), 2);
  t.is(await double('a', { number: 2 }), 4, 'a single request never waits');
  await Promise.all([double('a', { number: 3 }), double('a', { number: 4 })]);
  const fifth = double('a', { number: 5 });
  await Promise.all([double('b', { number: 6 }), turn()]);
  t.is(done.length, 4, 'nor does a single request under another key');
  await Promise.all([fifth, double('a', { number: 7 })]);
  t.deepEqual(
    done.map((batch) => batch.numbers),
    [[1], [2], [3, 4], [6], [5, 7]],
  );
});

test('no request waits longer for others than the limit', async (t) => {
  const { double, done } = doubling({ maxWaitMs: 1 });
  await Promise.all([double('a', { number: 1 }), double('a', { number: 2 })]);
  t.is(await double('a', { number: 3 }), 6);
  t.deepEqual(
    done.map((batch) => batch.numbers),
    [[1, 2], [3]],
  );
});

test('each request gets its own error', async (t) => {
  const { double } = doubling();
  const results = await Promise.allSettled([1, -2, 3].map((number) => double('a', { number })));
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('an error of a batch fails all its requests, and the next batch runs', async (t) => {
  let isBroken = true;
  const ask = createBatcher<NumberRequest, number>({ maxBatch: 2 }, async (_key, jobs) => {
    await turn();
    if (isBroken) throw new Error('the database is unavailable');
    for (const { number, resolve } of jobs) resolve(number);
  });
  const [first, second, third] = [1, 2, 3].map((number) => ask('a', { number }));
  await t.throwsAsync(async () => await first, { message: /is unavailable/ });
  isBroken = false;
  await t.throwsAsync(async () => await second, { message: /is unavailable/ });
  t.is(await third, 3);
});

test('a request that its batch does not settle fails', async (t) => {
  const ask = createBatcher<NumberRequest, number>({ maxBatch: 2 }, async (_key, jobs) => {
    jobs[0]?.resolve(1);
  });
  const [first, second] = [ask('a', { number: 1 }), ask('a', { number: 2 })];
  t.is(await first, 1);
  await t.throwsAsync(second, { message: /without a result for this request/ });
});

test('keys do not wait for each other', async (t) => {
  const order: string[] = [];
  let release = (): void => undefined;
  const ask = createBatcher<object, void>({ maxBatch: 1 }, async (key, jobs) => {
    if (key === 'slow') await new Promise<void>((resolve) => (release = resolve));
    order.push(key);
    for (const { resolve } of jobs) resolve();
  });
  const slow = ask('slow', {});
  await ask('fast', {});
  release();
  await slow;
  t.deepEqual(order, ['fast', 'slow']);
});

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
