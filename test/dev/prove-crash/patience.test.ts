import test from 'ava';
import { createPatience } from '../../../dev/prove-crash/patience.ts';

/** What is left, second by second. @returns after how many it was not waited for any longer */
function given(left: number[]): number | undefined {
  let second = 0;
  const isPatient = createPatience(2_000, () => second * 1_000);
  for (const one of left) {
    if (!isPatient(one)) return second;
    second += 1;
  }
  return undefined;
}

test('what becomes less is waited for, however long that takes', (t) => {
  t.is(given([9, 8, 8, 8, 7, 7, 7, 6, 5, 5]), undefined);
});

test('what stays is not, nor what becomes more and less again', (t) => {
  t.is(given([9, 9, 9, 9, 9]), 3);
  t.is(given([5, 6, 5, 7, 5, 4]), 3);
});
