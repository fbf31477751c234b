import test from 'ava';
import { allReviewReasons, reasonProblem, reviewReasons } from '../../domain/review.ts';

for (const verdict of ['UPHOLD', 'DISMISS'] as const) {
  test(`${verdict} needs one of its own reasons, and OTHER an explanation`, (t) => {
    const own: readonly string[] = reviewReasons[verdict];
    for (const reason of allReviewReasons) {
      t.is(reasonProblem(verdict, reason, 'in words') === undefined, own.includes(reason), reason);
    }
    t.is(reasonProblem(verdict, reviewReasons[verdict][0], ''), undefined);
    t.regex(reasonProblem(verdict, 'OTHER', '') ?? '', /reason is required/);
  });
}

test('every reason is listed once', (t) => {
  const all = new Set<string>([...reviewReasons.UPHOLD, ...reviewReasons.DISMISS]);
  t.deepEqual(allReviewReasons.toSorted(), [...all].sort());
});
