import test from 'ava';
import { createPatience } from '../../prove/support/patience.ts';
import { gapIn } from '../../prove/support/traffic-log.ts';

test('the longest gap counts from a span’s start to its end, between successes', (t) => {
  const answers = [
    { atMs: 1_100, status: 201 },
    { atMs: 1_900, status: 503 },
    { atMs: 2_400, status: 201 },
    { atMs: 2_500, status: 0 },
    { atMs: 2_600, status: 500 },
    { atMs: 9_000, status: 201 },
  ];
  t.deepEqual(gapIn({ responses: answers }, { fromMs: 1_000, toMs: 3_000 }), {
    longestMs: 1_300,
    succeeded: 2,
    unavailable: 1,
    refused: 1,
    refusals: [500],
    silent: 1,
  });
  t.is(gapIn({ responses: answers }, { fromMs: 3_000, toMs: 5_000 }).longestMs, 2_000);
});

/**
 * @param left the count in each second
 * @returns the second in which the wait ended; undefined if it did not
 */
function endOfWait(left: number[]): number | undefined {
  let second = 0;
  const isPatient = createPatience(2_000, () => second * 1_000);
  for (const one of left) {
    if (!isPatient(one)) return second;
    second += 1;
  }
  return undefined;
}

test('the wait continues as long as the count goes down', (t) => {
  t.is(endOfWait([9, 8, 8, 8, 7, 7, 7, 6, 5, 5]), undefined);
});

test('the wait ends if the count stays the same, or goes up and down', (t) => {
  t.is(endOfWait([9, 9, 9, 9, 9]), 3);
  t.is(endOfWait([5, 6, 5, 7, 5, 4]), 3);
});
