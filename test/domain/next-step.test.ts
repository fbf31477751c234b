import test from 'ava';
import { type NextStep, nextStepOf, type Situation } from '../../domain/next-step.ts';
import { type RewardState, rewardStates } from '../../domain/reward.ts';

const claimExpiresAt = '2026-03-31T12:00:00.000Z';

const reviewed = {
  state: 'IN_REVIEW',
  claimExpiresAt,
  claimableFrom: null,
  points: 100,
  underReview: 100,
} as const;
const held = { ...reviewed, state: 'FUNDED', claimableFrom: '2026-03-16T12:00:00.000Z' } as const;

function situation(state: RewardState, changes: Partial<Situation> = {}): Situation {
  return {
    reward: { state, claimExpiresAt, claimableFrom: null, points: 100, underReview: 100 },
    isReserved: true,
    reviewDueAt: null,
    policyUpholdsAt: null,
    isSuspended: false,
    now: '2026-03-02T00:00:00.000Z',
    ...changes,
  };
}

const cases: [
  title: string,
  situation: Situation,
  waitsFor: NextStep['waitsFor'],
  until: string | null,
  says: RegExp,
][] = [
  [
    'a purchase whose workflow has not started',
    { ...situation('ACCEPTED'), reward: null },
    'SERVICE',
    null,
    /recorded/,
  ],
  [
    'a reward that is being funded',
    situation('ACCEPTED'),
    'SERVICE',
    null,
    /decided within seconds/,
  ],
  [
    'a funded reward',
    situation('FUNDED'),
    'CUSTOMER',
    claimExpiresAt,
    /until 2026-03-31 12:00 UTC\. Then it expires, and what is reserved goes back to the funding\./,
  ],
  [
    'a funded reward without money',
    situation('FUNDED', { isReserved: false }),
    'CUSTOMER',
    claimExpiresAt,
    /Then it expires\. A refund of the whole order before that cancels it, and one of a part reduces it\.$/,
  ],
  [
    'a funded reward of a suspended partner',
    situation('FUNDED', { isSuspended: true }),
    'CUSTOMER',
    claimExpiresAt,
    /the claim window keeps running\.$/,
  ],
  [
    'a reward whose refund is left to a policy',
    situation('IN_REVIEW', { reward: reviewed, policyUpholdsAt: '2026-03-04T12:00:00.000Z' }),
    'SERVICE',
    '2026-03-04T12:00:00.000Z',
    /decided by policy: on 2026-03-04 12:00 UTC, the reward is cancelled .*unless an operator decides otherwise/,
  ],
  [
    'a reward of which a part is left to a policy',
    situation('IN_REVIEW', {
      reward: { ...reviewed, underReview: 30 },
      policyUpholdsAt: '2026-03-04T12:00:00.000Z',
    }),
    'SERVICE',
    '2026-03-04T12:00:00.000Z',
    /30 of the 100 points are taken back/,
  ],
  [
    'a reward on hold',
    situation('FUNDED', { reward: held }),
    'SERVICE',
    held.claimableFrom,
    /on hold: the customer can claim it from 2026-03-16 12:00 UTC until 2026-03-31 12:00 UTC\..*without a review\.$/,
  ],
  [
    'a reward whose hold is over',
    situation('FUNDED', { reward: held, now: held.claimableFrom }),
    'CUSTOMER',
    claimExpiresAt,
    /waits for the customer to claim it until/,
  ],
  [
    'a reward on hold of a suspended partner',
    situation('FUNDED', { reward: held, isSuspended: true }),
    'SERVICE',
    held.claimableFrom,
    /the time keeps running\.$/,
  ],
  [
    'a reward waiting for funds',
    situation('AWAITING_FUNDING'),
    'FUNDS',
    claimExpiresAt,
    /in the queue for funds.*expires on 2026-03-31 12:00 UTC/,
  ],
  [
    'a claimed reward',
    situation('AVAILABLE'),
    'NOBODY',
    null,
    /^The customer has claimed the points\. .* after a review/,
  ],
  [
    'a reward under review',
    situation('IN_REVIEW', { reviewDueAt: '2026-03-05T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-05T00:00:00.000Z',
    /is due on 2026-03-05 00:00 UTC\. If the refund is upheld/,
  ],
  [
    'a reward whose review is overdue',
    situation('IN_REVIEW', { reviewDueAt: '2026-03-01T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-01T00:00:00.000Z',
    /was due on 2026-03-01 00:00 UTC\./,
  ],
  [
    'a reward whose review is due right now',
    situation('IN_REVIEW', { reviewDueAt: '2026-03-02T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-02T00:00:00.000Z',
    /is due on 2026-03-02 00:00 UTC\./,
  ],
  [
    'a reward whose review is about to open',
    situation('IN_REVIEW'),
    'OPERATOR',
    null,
    /so an operator decides\. If the refund is upheld/,
  ],
  [
    'a reward of which a part is under review',
    situation('IN_REVIEW', {
      reward: { ...reviewed, underReview: 30 },
    }),
    'OPERATOR',
    null,
    /a part of the order: if the refund is upheld, 30 of the 100 points are taken back, and the customer keeps 70; if it is dismissed, the customer keeps all of them\.$/,
  ],
  [
    'an expired reward',
    situation('EXPIRED'),
    'NOBODY',
    null,
    /^Nothing\. The reward was not claimed .* went back to the funding\./,
  ],
  [
    'an expired reward that was never funded',
    situation('EXPIRED', { isReserved: false }),
    'NOBODY',
    null,
    /in time\. A refund/,
  ],
  ['a cancelled reward', situation('CANCELLED'), 'NOBODY', null, /is cancelled/],
];

for (const [title, of, waitsFor, until, says] of cases) {
  test(`${title} waits for ${waitsFor}`, (t) => {
    const next = nextStepOf(of);
    t.is(next.waitsFor, waitsFor);
    t.is(next.until, until);
    t.regex(
      next.sentence((at) => `${at.slice(0, 16).replace('T', ' ')} UTC`),
      says,
    );
  });
}

test('every state has a sentence', (t) => {
  const told = new Set(cases.map(([, { reward }]) => reward?.state));
  for (const state of rewardStates) t.true(told.has(state), state);
});

test('an unknown state throws', (t) => {
  t.throws(() => nextStepOf(situation('UNHEARD_OF' as RewardState)), { message: /UNHEARD_OF/ });
});
