import test from 'ava';
import { gapIn } from '../../../dev/prove-failover/gaps.ts';

test('the longest gap counts from a span’s start to its end, between successes', (t) => {
  const answers = [
    { atMs: 1_100, status: 201 },
    { atMs: 1_900, status: 503 },
    { atMs: 2_400, status: 201 },
    { atMs: 2_500, status: 0 },
    { atMs: 9_000, status: 201 },
  ];
  t.deepEqual(gapIn({ responses: answers }, { fromMs: 1_000, toMs: 3_000 }), {
    longestMs: 1_300,
    succeeded: 2,
    unavailable: 1,
    silent: 1,
  });
  t.is(gapIn({ responses: answers }, { fromMs: 3_000, toMs: 5_000 }).longestMs, 2_000);
});
