import test from 'ava';
import { type NextStep, type NextStepFacts, nextStepOf } from '../../domain/go-live.ts';
import { type RewardState, rewardTable } from '../../domain/reward.ts';

const claimExpiresAt = '2026-03-31T12:00:00.000Z';

function facts(state: Partial<RewardState>, changes: Partial<NextStepFacts> = {}): NextStepFacts {
  return {
    reward: {
      status: 'PENDING',
      customerStatus: 'AWAITING_CUSTOMER_CLAIM',
      funded: false,
      claimExpiresAt,
      ...state,
    },
    isReserved: true,
    reviewDueAt: null,
    isSuspended: false,
    now: '2026-03-02T00:00:00.000Z',
    ...changes,
  };
}

const cases: [
  title: string,
  facts: NextStepFacts,
  waitsFor: NextStep['waitsFor'],
  until: string | null,
  says: RegExp,
][] = [
  [
    'a purchase whose workflow has not started',
    { ...facts({}), reward: null },
    'SERVICE',
    null,
    /recorded and answered/,
  ],
  ['a reward that is being funded', facts({}), 'SERVICE', null, /decided within seconds/],
  [
    'a funded reward',
    facts({ funded: true }),
    'CUSTOMER',
    claimExpiresAt,
    /until 2026-03-31 12:00 UTC\. Then it expires, and what is reserved goes back to the funding\./,
  ],
  [
    'a funded reward without money',
    facts({ funded: true }, { isReserved: false }),
    'CUSTOMER',
    claimExpiresAt,
    /Then it expires\. A refund before that cancels it\.$/,
  ],
  [
    'a funded reward of a suspended partner',
    facts({ funded: true }, { isSuspended: true }),
    'CUSTOMER',
    claimExpiresAt,
    /the claim window keeps running\.$/,
  ],
  [
    'a reward waiting for funds',
    facts({ status: 'AWAITING_FUNDING' }),
    'FUNDS',
    claimExpiresAt,
    /in the queue for funds.*expires on 2026-03-31 12:00 UTC/,
  ],
  ['a claimed reward', facts({ status: 'AVAILABLE' }), 'NOBODY', null, /after a review/],
  [
    'a reward under review',
    facts({ status: 'ADMIN_REVIEW' }, { reviewDueAt: '2026-03-05T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-05T00:00:00.000Z',
    /is due on 2026-03-05 00:00 UTC\. If the refund is upheld/,
  ],
  [
    'a reward whose review is overdue',
    facts({ status: 'ADMIN_REVIEW' }, { reviewDueAt: '2026-03-01T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-01T00:00:00.000Z',
    /was due on 2026-03-01 00:00 UTC\./,
  ],
  [
    'a reward whose review is due right now',
    facts({ status: 'ADMIN_REVIEW' }, { reviewDueAt: '2026-03-02T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-02T00:00:00.000Z',
    /is due on 2026-03-02 00:00 UTC\./,
  ],
  [
    'a reward whose review is about to open',
    facts({ status: 'ADMIN_REVIEW' }),
    'OPERATOR',
    null,
    /so an operator decides\. If the refund is upheld/,
  ],
  [
    'an expired reward',
    facts({ status: 'EXPIRED' }),
    'NOBODY',
    null,
    /^Nothing\. The reward was not claimed .* went back to the funding\./,
  ],
  [
    'an expired reward that was never funded',
    facts({ status: 'EXPIRED' }, { isReserved: false }),
    'NOBODY',
    null,
    /in time\. A refund/,
  ],
  ['a cancelled reward', facts({ status: 'CANCELLED' }), 'NOBODY', null, /is cancelled/],
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

test('every status has a sentence', (t) => {
  const told = new Set(cases.map(([, { reward }]) => reward?.status));
  for (const { from } of rewardTable) t.true(told.has(from), from);
});

test('an unknown status throws', (t) => {
  const status = 'UNHEARD_OF' as RewardState['status'];
  t.throws(() => nextStepOf(facts({ status })), { message: /UNHEARD_OF/ });
});
