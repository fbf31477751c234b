import test from 'ava';
import { createConcurrencyLimit } from '../../platform/concurrency-limit.ts';

test('at most so many run at a time, and the others in the order of their calls', async (t) => {
  const limit = createConcurrencyLimit(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const results = ends.map(({ promise }, nth) =>
    limit.run(() => {
      begun.push(nth);
      return promise;
    }),
  );
  t.deepEqual(begun, [0, 1]);
  t.is(limit.waiting(), 2);
  ends[1]?.resolve(1);
  t.is(await results[1], 1);
  t.deepEqual(begun, [0, 1, 2]);
  for (const [nth, { resolve }] of ends.entries()) resolve(nth);
  t.deepEqual(await Promise.all(results), [0, 1, 2, 3]);
  t.is(limit.waiting(), 0);
});

test('work that fails passes its error on and frees its place', async (t) => {
  const limit = createConcurrencyLimit(1);
  const failing = limit.run(async () => {
    throw new Error('why');
  });
  const next = limit.run(async () => 'next');
  await t.throwsAsync(failing, { message: 'why' });
  t.is(await next, 'next');
  t.is(await limit.run(async () => 'later'), 'later');
});
