import test from 'ava';
import type { MadeMove, RewardState } from '../../domain/reward.ts';
import {
  atReview,
  moveSentence,
  movesWithStates,
  pointsTaken,
  type RefundOutcome,
  refundOutcomes,
} from '../../domain/reward-words.ts';

const at = new Date('2026-03-10T09:00:00.000Z');
const made = (
  move: MadeMove['move'],
  state: RewardState,
  more: Partial<MadeMove> = {},
): MadeMove => ({ move, at, state, ...more });

const fund = made('FUND', 'FUNDED');
const claim = made('CLAIM', 'AVAILABLE');
const lost = { points: 30, liabilityCents: 15 };
const refund = (id: string, state: RewardState, amountCents = 4_000) =>
  made('REFUND', state, { refundEventId: id, amountCents });
const reduce = (id: string, points = 30) =>
  made('REDUCE', 'FUNDED', {
    refundEventId: id,
    amountCents: 4_000,
    lost: { ...lost, points },
  });

const rows: {
  what: string;
  moves: MadeMove[];
  says: string;
  outcomes: Record<string, RefundOutcome>;
  /** The points that each refund took, of a reward that has 100 now. */
  took: Record<string, number | null>;
}[] = [
  {
    what: 'the whole order, unclaimed',
    moves: [fund, refund('a', 'CANCELLED')],
    says: '$40.00 of the order came back: no points remain, so the reward is cancelled',
    outcomes: { a: 'CANCELLED' },
    took: { a: 100 },
  },
  {
    what: 'a part, unclaimed',
    moves: [fund, reduce('a')],
    says: '$40.00 of the order came back: the reward has 30 fewer points',
    outcomes: { a: 'REDUCED' },
    took: { a: 30 },
  },
  {
    what: 'a part that costs one point',
    moves: [fund, reduce('a', 1)],
    says: '$40.00 of the order came back: the reward has 1 fewer point',
    outcomes: { a: 'REDUCED' },
    took: { a: 1 },
  },
  {
    what: 'a part that costs no point',
    moves: [fund, reduce('a', 0)],
    says: '$40.00 of the order came back: the points stay the same',
    outcomes: { a: 'UNCHANGED' },
    took: { a: 0 },
  },
  {
    what: 'the rest after a part',
    moves: [fund, reduce('a'), refund('b', 'CANCELLED', 6_000)],
    says: '$60.00 of the order came back: no points remain, so the reward is cancelled',
    outcomes: { a: 'REDUCED', b: 'CANCELLED' },
    took: { a: 30, b: 100 },
  },
  {
    what: 'after the claim',
    moves: [fund, claim, refund('a', 'IN_REVIEW')],
    says: '$40.00 of the order came back: the customer had claimed the points, so a review decides whether any are taken back',
    outcomes: { a: 'IN_REVIEW' },
    took: { a: null },
  },
  {
    what: 'another during the review',
    moves: [fund, claim, refund('a', 'IN_REVIEW'), refund('b', 'IN_REVIEW', 100)],
    says: '$1.00 of the order came back: the open review is about it, too',
    outcomes: { a: 'IN_REVIEW', b: 'IN_REVIEW' },
    took: { a: null, b: null },
  },
  {
    what: 'upheld',
    moves: [
      fund,
      claim,
      refund('a', 'IN_REVIEW'),
      made('UPHOLD', 'CANCELLED', { reviewId: 'rev_1' }),
    ],
    says: 'An operator upheld the refund: the reward is cancelled, and its points are taken back',
    outcomes: { a: 'UPHELD' },
    took: { a: 100 },
  },
  {
    what: 'upheld by a policy',
    moves: [
      ...[fund, claim, refund('a', 'IN_REVIEW')],
      made('UPHOLD', 'CANCELLED', { reviewId: 'rev_1', policyId: 'pol_1' }),
    ],
    says: 'The refund policy upheld the refund: the reward is cancelled, and its points are taken back',
    outcomes: { a: 'UPHELD' },
    took: { a: 100 },
  },
  {
    what: 'a part before the end of the hold',
    moves: [fund, reduce('a'), made('MATURE', 'FUNDED')],
    says: 'The hold is over: the customer can claim the reward',
    outcomes: { a: 'REDUCED' },
    took: { a: 30 },
  },
  {
    what: 'two refunds upheld together',
    moves: [
      ...[fund, claim, refund('a', 'IN_REVIEW'), refund('b', 'IN_REVIEW')],
      made('UPHOLD', 'CANCELLED', { reviewId: 'rev_1' }),
    ],
    says: 'An operator upheld the refund: the reward is cancelled, and its points are taken back',
    outcomes: { a: 'UPHELD', b: 'UPHELD' },
    took: { a: null, b: null },
  },
  {
    what: 'a part upheld',
    moves: [
      ...[fund, claim, refund('a', 'IN_REVIEW')],
      made('REDUCE', 'AVAILABLE', { reviewId: 'rev_1', lost }),
    ],
    says: 'An operator upheld the refund of a part: 30 points are taken back, and the customer keeps the rest',
    outcomes: { a: 'UPHELD' },
    took: { a: 30 },
  },
  {
    what: 'a part upheld that costs no point',
    moves: [
      ...[fund, claim, refund('a', 'IN_REVIEW')],
      made('REDUCE', 'AVAILABLE', { reviewId: 'rev_1', lost: { ...lost, points: 0 } }),
    ],
    says: 'An operator upheld the refund: the points stay the same',
    outcomes: { a: 'UNCHANGED' },
    took: { a: 0 },
  },
  {
    what: 'dismissed, and another',
    moves: [
      ...[fund, claim, refund('a', 'IN_REVIEW'), made('DISMISS', 'AVAILABLE')],
      refund('b', 'IN_REVIEW'),
      made('DISMISS', 'AVAILABLE'),
    ],
    says: 'An operator dismissed the refund: the customer keeps the points',
    outcomes: { a: 'DISMISSED', b: 'DISMISSED' },
    took: { a: 0, b: 0 },
  },
  {
    what: 'of an expired reward',
    moves: [fund, made('EXPIRE', 'EXPIRED'), refund('a', 'EXPIRED')],
    says: '$40.00 of the order came back: the reward had expired, so nothing changes',
    outcomes: { a: 'NO_ACTION' },
    took: { a: 0 },
  },
  {
    what: 'of a cancelled reward',
    moves: [fund, made('CANCEL', 'CANCELLED'), refund('a', 'CANCELLED')],
    says: '$40.00 of the order came back: the reward was cancelled already, so nothing changes',
    outcomes: { a: 'NO_ACTION' },
    took: { a: 0 },
  },
  {
    what: 'a mistake, taken back with what came after it and not what came before',
    moves: [
      ...[fund, reduce('a'), refund('b', 'CANCELLED'), refund('c', 'CANCELLED')],
      made('REINSTATE', 'ACCEPTED'),
    ],
    says: 'An operator reinstated the reward: its refund was a mistake',
    outcomes: { a: 'REDUCED', b: 'TAKEN_BACK', c: 'TAKEN_BACK' },
    took: { a: 30, b: 0, c: 0 },
  },
];

for (const { what, moves, says, outcomes, took } of rows) {
  test(`what a refund did: ${what}`, (t) => {
    const last = movesWithStates(moves).at(-1);
    t.is(last && moveSentence(last.made, { before: last.before, currency: 'USD' }), says);
    t.deepEqual(Object.fromEntries(refundOutcomes(moves)), outcomes);
    t.deepEqual(Object.fromEntries(pointsTaken({ moves, points: 100 })), took);
  });
}

test('a review is about all points, or those that a part takes', (t) => {
  t.deepEqual(atReview({ points: 100, afterReview: null }), { points: 100, underReview: 100 });
  const afterReview = { points: 70, liabilityCents: 35, arithmetic: {} as never };
  t.deepEqual(atReview({ points: 100, afterReview }), { points: 100, underReview: 30 });
});
