import test from 'ava';
import { createPatience } from '../../../dev/prove-crash/patience.ts';

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
