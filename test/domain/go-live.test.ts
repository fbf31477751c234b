import test from 'ava';
import fc from 'fast-check';
import {
  clearedFields,
  type GoLiveFacts,
  type GoLiveState,
  goLiveChecklist,
  goLiveMove,
  goLiveProfile,
  type NextStep,
  type NextStepFacts,
  nextStepOf,
  profileFields,
  type Requirement,
  type SetUpFacts,
  type SetUpState,
  type SetUpStep,
  setUpOf,
  setUpSteps,
} from '../../domain/go-live.ts';
import { type RewardState, rewardStates } from '../../domain/reward.ts';

/** A partner that meets every requirement and is approved. */
const complete: GoLiveFacts = {
  profile: {
    legalName: 'Corner Shop Ltd',
    country: 'US',
    timeZone: 'America/Chicago',
    currency: 'USD',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
    website: 'https://shop.example',
  },
  liveRuleIds: ['rul_1', 'rul_2'],
  funding: { balanceCents: 10_000, minimumCents: 10_000, transactionIds: ['txn_1'] },
  integrationIds: ['int_1'],
  testPurchaseId: 'evt_1',
  testRefund: { eventId: 'evt_2', purchaseEventId: 'evt_1' },
  state: 'LIVE',
  approvedBy: 'opr_1',
};

const unmet = (facts: GoLiveFacts) =>
  goLiveChecklist(facts).items.flatMap(({ requirement, isMet }) => (isMet ? [] : [requirement]));

test('go-live needs approval, profile, rule, funding, integration, and TEST purchase and refund, each with its evidence', (t) => {
  const { items, isReady, isComplete } = goLiveChecklist(complete);
  t.deepEqual(
    items.map(({ requirement, evidence }) => [requirement, evidence]),
    [
      ['PROFILE', []],
      ['EARNING_RULE', ['rul_1', 'rul_2']],
      ['FUNDING', ['txn_1']],
      ['INTEGRATION', ['int_1']],
      ['TEST_PURCHASE', ['evt_1']],
      ['TEST_REFUND', ['evt_2']],
      ['APPROVAL', ['opr_1']],
    ],
  );
  t.true(items.every(({ isMet, missing }) => isMet && missing === null));
  t.true(isReady && isComplete);
});

const { funding } = complete;
const lacking: [what: string, change: Partial<GoLiveFacts>, requirement: Requirement][] = [
  ['no active LIVE rule', { liveRuleIds: [] }, 'EARNING_RULE'],
  ['a cent too little', { funding: { ...funding, balanceCents: 9_999 } }, 'FUNDING'],
  [
    'no money, even without a minimum',
    { funding: { ...funding, balanceCents: 0, minimumCents: 0 } },
    'FUNDING',
  ],
  ['no integration', { integrationIds: [] }, 'INTEGRATION'],
  ['no TEST refund', { testRefund: null }, 'TEST_REFUND'],
  [
    'a TEST refund of another purchase',
    { testRefund: { eventId: 'evt_2', purchaseEventId: 'evt_3' } },
    'TEST_REFUND',
  ],
];

for (const [what, change, requirement] of lacking) {
  test(`a partner is not ready with ${what}`, (t) => {
    const checklist = goLiveChecklist({ ...complete, ...change });
    t.deepEqual(unmet({ ...complete, ...change }), [requirement]);
    t.false(checklist.isReady || checklist.isComplete);
    t.truthy(checklist.items.find((item) => item.requirement === requirement)?.missing);
  });
}

for (const field of profileFields) {
  test(`a profile without ${field} is incomplete, and the item says so`, (t) => {
    for (const value of [null, '', '  ']) {
      const profile = { ...complete.profile, [field]: value };
      const [item] = goLiveChecklist({ ...complete, profile }).items;
      t.false(item?.isMet);
      t.is(item?.missing, `Fill in ${field}.`);
    }
  });
}

test('the time zone has to be chosen where the country has several, and otherwise is the country’s', (t) => {
  const zoneIn = (country: string | null, more: object = {}) =>
    goLiveProfile({ country, ...more }).timeZone;
  t.is(zoneIn('DE'), 'Europe/Berlin');
  t.is(zoneIn('DE', { timeZone: 'Europe/Paris' }), 'Europe/Paris');
  t.is(zoneIn(null), null, 'nobody has chosen a country');
  for (const country of ['US', 'BR', 'MX', 'ES']) {
    t.is(zoneIn(country), null, country);
    t.is(zoneIn(country, { timeZone: 'America/Lima' }), 'America/Lima');
    const profile = { ...complete.profile, ...goLiveProfile({ country }) };
    t.is(goLiveChecklist({ ...complete, profile }).items[0]?.missing, 'Fill in timeZone.');
  }
});

test('with nothing set up, every item is unmet', (t) => {
  const nothing = Object.fromEntries(profileFields.map((field) => [field, null]));
  const facts: GoLiveFacts = {
    profile: nothing as GoLiveFacts['profile'],
    liveRuleIds: [],
    funding: { balanceCents: 0, minimumCents: 0, transactionIds: [] },
    integrationIds: [],
    testPurchaseId: null,
    testRefund: null,
    state: 'SANDBOX',
    approvedBy: null,
  };
  t.is(unmet(facts).length, 7);
});

const states: GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE'];

test('without approval a partner is at most ready, in any state', (t) => {
  for (const state of states) {
    const { isReady, isComplete } = goLiveChecklist({ ...complete, state });
    t.true(isReady);
    t.is(isComplete, state === 'LIVE');
  }
});

test('only a request starts a review, and only a review leads to LIVE', (t) => {
  t.deepEqual(goLiveMove('REQUEST'), { from: ['SANDBOX', 'CHANGES_REQUESTED'], to: 'IN_REVIEW' });
  t.deepEqual(goLiveMove('APPROVE'), { from: ['IN_REVIEW'], to: 'LIVE' });
  t.deepEqual(goLiveMove('RETURN'), { from: ['IN_REVIEW'], to: 'CHANGES_REQUESTED' });
});

test('once LIVE, the fields that a change empties and go-live requires are detected', (t) => {
  const cases: [GoLiveState, Parameters<typeof clearedFields>[1], string[]][] = [
    ['LIVE', { website: null, supportEmail: '  ' }, ['supportEmail', 'website']],
    ['LIVE', { website: 'https://shop.example' }, []],
    ['LIVE', {}, []],
    ['LIVE', { timeZone: null }, ['timeZone']],
    ['LIVE', { timeZone: 'America/Chicago' }, []],
    ['LIVE', { timeZone: null, country: 'DE' }, []],
    ['SANDBOX', { website: null }, []],
    ['IN_REVIEW', { legalName: '' }, []],
  ];
  for (const [state, changes, emptied] of cases) {
    t.deepEqual(clearedFields(state, changes, 'US'), emptied, JSON.stringify([state, changes]));
  }
});

test('a missing item has no evidence, and says what to do next', (t) => {
  const found = goLiveChecklist({
    ...complete,
    funding: { ...funding, balanceCents: 0, minimumCents: 500 },
    testPurchaseId: null,
    testRefund: { eventId: 'evt_2', purchaseEventId: 'evt_other' },
    state: 'IN_REVIEW',
    approvedBy: null,
  });
  const of = (wanted: Requirement) => found.items.find((one) => one.requirement === wanted);
  for (const requirement of ['TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL'] as const) {
    t.deepEqual(of(requirement)?.evidence, [], requirement);
  }
  t.is(of('FUNDING')?.missing, 'Top up: the balance is 0 cents, and at least 500 are required.');
  t.is(of('APPROVAL')?.missing, 'An operator is reviewing the request.');
  const before = goLiveChecklist({ ...complete, state: 'SANDBOX', approvedBy: null });
  t.is(before.items.at(-1)?.missing, 'Request the review.');
});

const nobody: GoLiveFacts = {
  profile: {
    legalName: null,
    country: 'US',
    timeZone: 'America/Chicago',
    currency: 'USD',
    contactEmail: null,
    supportEmail: null,
    website: null,
  },
  liveRuleIds: [],
  funding: { balanceCents: 0, minimumCents: 10_000, transactionIds: [] },
  integrationIds: [],
  testPurchaseId: null,
  testRefund: null,
  state: 'SANDBOX',
  approvedBy: null,
};

const completeOfSetUp: GoLiveFacts = {
  profile: {
    legalName: 'Corner Shop Ltd',
    country: 'US',
    timeZone: 'America/Chicago',
    currency: 'USD',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
    website: 'https://shop.example',
  },
  liveRuleIds: ['rul_live'],
  funding: { balanceCents: 10_000, minimumCents: 10_000, transactionIds: ['txn_live'] },
  integrationIds: ['int_1'],
  testPurchaseId: 'evt_1',
  testRefund: { eventId: 'evt_2', purchaseEventId: 'evt_1' },
  state: 'LIVE',
  approvedBy: 'opr_1',
};

const nothing: SetUpFacts = {
  goLive: nobody,
  testKeyIds: [],
  usedTestKeyId: null,
  testRuleIds: [],
  promotableRuleIds: [],
  testFundingIds: [],
  testReward: null,
  liveKeyIds: [],
};

const everything: SetUpFacts = {
  goLive: completeOfSetUp,
  testKeyIds: ['key_test'],
  usedTestKeyId: 'key_test',
  testRuleIds: ['rul_test'],
  promotableRuleIds: ['rul_test'],
  testFundingIds: ['txn_test'],
  testReward: { rewardId: 'PNR_1', state: 'CANCELLED', isRefunded: true },
  liveKeyIds: ['key_live'],
};

const lineOf = (facts: SetUpFacts, step: SetUpStep) =>
  setUpOf(facts).items.find((one) => one.step === step);

test('the set-up has eleven steps in a fixed order, each with its evidence', (t) => {
  const { items, next } = setUpOf(everything);
  t.deepEqual(
    items.map(({ step, state, evidence }) => [step, state, ...evidence]),
    [
      ['INTEGRATION', 'DONE', 'int_1'],
      ['TEST_KEY', 'DONE', 'key_test'],
      ['STORE_SECRET', 'DONE', 'key_test'],
      ['EARNING_RULE', 'DONE', 'rul_test'],
      ['TEST_FUNDING', 'DONE', 'txn_test'],
      ['TEST_PURCHASE', 'DONE', 'evt_1'],
      ['INSPECT_RESPONSE', 'DONE', 'PNR_1'],
      ['TEST_REFUND', 'DONE', 'evt_2'],
      ['VERIFY', 'DONE', 'PNR_1'],
      ['GO_LIVE', 'DONE', 'opr_1'],
      ['LIVE_KEY', 'DONE', 'key_live'],
    ],
  );
  t.is(next, null);
});

/** A new partner's path: the facts added at each step, and the next step after that. */
const path: [added: Partial<SetUpFacts>, next: SetUpStep | null, requirement?: Requirement][] = [
  [{}, 'INTEGRATION'],
  [{ goLive: { ...nobody, integrationIds: ['int_1'] } }, 'TEST_KEY'],
  [{ testKeyIds: ['key_test'] }, 'EARNING_RULE'],
  [{ testRuleIds: ['rul_test'] }, 'TEST_PURCHASE'],
  [{ goLive: { ...nobody, integrationIds: ['int_1'], testPurchaseId: 'evt_1' } }, 'TEST_REFUND'],
  [{ testReward: { rewardId: 'PNR_1', state: 'FUNDED', isRefunded: false } }, 'TEST_REFUND'],
  [
    {
      goLive: {
        ...nobody,
        integrationIds: ['int_1'],
        testPurchaseId: 'evt_1',
        testRefund: { eventId: 'evt_2', purchaseEventId: 'evt_1' },
      },
    },
    ...(['GO_LIVE', 'PROFILE'] as const),
  ],
  [
    { testReward: { rewardId: 'PNR_1', state: 'CANCELLED', isRefunded: true } },
    'GO_LIVE',
    'PROFILE',
  ],
  [
    { goLive: { ...completeOfSetUp, state: 'SANDBOX', liveRuleIds: [] } },
    'GO_LIVE',
    'EARNING_RULE',
  ],
  [{ promotableRuleIds: ['rul_test'] }, 'GO_LIVE', 'APPROVAL'],
  [
    { goLive: { ...completeOfSetUp, state: 'SANDBOX', funding: nobody.funding } },
    'GO_LIVE',
    'FUNDING',
  ],
  [{ goLive: { ...completeOfSetUp, state: 'SANDBOX' } }, 'GO_LIVE', 'APPROVAL'],
  [{ goLive: { ...completeOfSetUp, state: 'CHANGES_REQUESTED' } }, 'GO_LIVE', 'APPROVAL'],
  [{ goLive: { ...completeOfSetUp, state: 'IN_REVIEW' } }, null],
  [{ goLive: completeOfSetUp }, 'LIVE_KEY'],
  [{ liveKeyIds: ['key_live'] }, null],
];

test('the next step is the first required, undone one with something to do', (t) => {
  let facts: SetUpFacts = nothing;
  for (const [added, step, requirement = null] of path) {
    facts = { ...facts, ...added };
    t.deepEqual(setUpOf(facts).next, step === null ? null : { step, requirement }, `${step}`);
  }
});

const statesOfSetUp: [what: string, facts: SetUpFacts, step: SetUpStep, state: SetUpState][] = [
  [
    'a secret that has signed nothing',
    { ...everything, usedTestKeyId: null },
    'STORE_SECRET',
    'TO_DO',
  ],
  ['no TEST funding', { ...everything, testFundingIds: [] }, 'TEST_FUNDING', 'OPTIONAL'],
  [
    'a refund that has not reached its reward',
    { ...everything, testReward: { rewardId: 'PNR_1', state: 'FUNDED', isRefunded: false } },
    'VERIFY',
    'TO_DO',
  ],
  [
    'a reward that ended without a refund',
    {
      ...everything,
      goLive: { ...completeOfSetUp, testRefund: null },
      testReward: { rewardId: 'PNR_1', state: 'EXPIRED', isRefunded: false },
    },
    'VERIFY',
    'TO_DO',
  ],
  [
    'a request in review',
    { ...everything, goLive: { ...completeOfSetUp, state: 'IN_REVIEW' } },
    'GO_LIVE',
    'WAITING',
  ],
  ['no LIVE key', { ...everything, liveKeyIds: [] }, 'LIVE_KEY', 'TO_DO'],
];

for (const [what, facts, step, state] of statesOfSetUp) {
  test(`${step} is ${state} with ${what}`, (t) => {
    t.like(lineOf(facts, step), { state, evidence: [] });
  });
}

const notLive: GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED'];
for (const state of notLive) {
  test(`LIVE credentials are locked in ${state}, even with keys`, (t) => {
    const facts = { ...everything, goLive: { ...completeOfSetUp, state } };
    t.like(lineOf(facts, 'LIVE_KEY'), { state: 'LOCKED', evidence: [] });
  });
}

test('a refund of a part, after which points remain, verifies the integration', (t) => {
  const testReward = { rewardId: 'PNR_1', state: 'FUNDED', isRefunded: true } as const;
  t.like(lineOf({ ...everything, testReward }, 'VERIFY'), { state: 'DONE', evidence: ['PNR_1'] });
});

test('a live partner is not sent back to TEST', (t) => {
  t.is(setUpOf({ ...everything, testKeyIds: [], usedTestKeyId: null }).next, null);
  t.deepEqual(setUpOf({ ...everything, testKeyIds: [], liveKeyIds: [] }).next, {
    step: 'LIVE_KEY',
    requirement: null,
  });
});

test('with anything missing, every step appears once, done ones have evidence, and the next one can be done', (t) => {
  const parts = Object.keys(everything) as (keyof SetUpFacts)[];
  fc.assert(
    fc.property(fc.subarray(parts), (missing) => {
      const facts = {
        ...everything,
        ...Object.fromEntries(missing.map((part) => [part, nothing[part]])),
      } as SetUpFacts;
      const { items, next } = setUpOf(facts);
      t.deepEqual(
        items.map(({ step }) => step),
        [...setUpSteps],
      );
      for (const { state, evidence } of items) t.is(state === 'DONE', evidence.length > 0);
      const isNext = ({ step, state }: (typeof items)[number]) =>
        state === 'TO_DO' &&
        !['STORE_SECRET', 'INSPECT_RESPONSE', 'VERIFY'].includes(step) &&
        (facts.goLive.state !== 'LIVE' || step === 'LIVE_KEY');
      t.is(next?.step, items.find(isNext)?.step);
    }),
  );
});

const claimExpiresAt = '2026-03-31T12:00:00.000Z';

const reviewed = {
  state: 'IN_REVIEW',
  claimExpiresAt,
  claimableFrom: null,
  points: 100,
  underReview: 100,
} as const;
const held = { ...reviewed, state: 'FUNDED', claimableFrom: '2026-03-16T12:00:00.000Z' } as const;

function facts(state: RewardState, changes: Partial<NextStepFacts> = {}): NextStepFacts {
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
  facts: NextStepFacts,
  waitsFor: NextStep['waitsFor'],
  until: string | null,
  says: RegExp,
][] = [
  [
    'a purchase whose workflow has not started',
    { ...facts('ACCEPTED'), reward: null },
    'SERVICE',
    null,
    /recorded/,
  ],
  ['a reward that is being funded', facts('ACCEPTED'), 'SERVICE', null, /decided within seconds/],
  [
    'a funded reward',
    facts('FUNDED'),
    'CUSTOMER',
    claimExpiresAt,
    /until 2026-03-31 12:00 UTC\. Then it expires, and what is reserved goes back to the funding\./,
  ],
  [
    'a funded reward without money',
    facts('FUNDED', { isReserved: false }),
    'CUSTOMER',
    claimExpiresAt,
    /Then it expires\. A refund of the whole order before that cancels it, and one of a part reduces it\.$/,
  ],
  [
    'a funded reward of a suspended partner',
    facts('FUNDED', { isSuspended: true }),
    'CUSTOMER',
    claimExpiresAt,
    /the claim window keeps running\.$/,
  ],
  [
    'a reward whose refund is left to a policy',
    facts('IN_REVIEW', { reward: reviewed, policyUpholdsAt: '2026-03-04T12:00:00.000Z' }),
    'SERVICE',
    '2026-03-04T12:00:00.000Z',
    /decided by policy: on 2026-03-04 12:00 UTC, the reward is cancelled .*unless an operator decides otherwise/,
  ],
  [
    'a reward of which a part is left to a policy',
    facts('IN_REVIEW', {
      reward: { ...reviewed, underReview: 30 },
      policyUpholdsAt: '2026-03-04T12:00:00.000Z',
    }),
    'SERVICE',
    '2026-03-04T12:00:00.000Z',
    /30 of the 100 points are taken back/,
  ],
  [
    'a reward on hold',
    facts('FUNDED', { reward: held }),
    'SERVICE',
    held.claimableFrom,
    /on hold: the customer can claim it from 2026-03-16 12:00 UTC until 2026-03-31 12:00 UTC\..*without a review\.$/,
  ],
  [
    'a reward whose hold is over',
    facts('FUNDED', { reward: held, now: held.claimableFrom }),
    'CUSTOMER',
    claimExpiresAt,
    /waits for the customer to claim it until/,
  ],
  [
    'a reward on hold of a suspended partner',
    facts('FUNDED', { reward: held, isSuspended: true }),
    'SERVICE',
    held.claimableFrom,
    /the time keeps running\.$/,
  ],
  [
    'a reward waiting for funds',
    facts('AWAITING_FUNDING'),
    'FUNDS',
    claimExpiresAt,
    /in the queue for funds.*expires on 2026-03-31 12:00 UTC/,
  ],
  [
    'a claimed reward',
    facts('AVAILABLE'),
    'NOBODY',
    null,
    /^The customer has claimed the points\. .* after a review/,
  ],
  [
    'a reward under review',
    facts('IN_REVIEW', { reviewDueAt: '2026-03-05T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-05T00:00:00.000Z',
    /is due on 2026-03-05 00:00 UTC\. If the refund is upheld/,
  ],
  [
    'a reward whose review is overdue',
    facts('IN_REVIEW', { reviewDueAt: '2026-03-01T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-01T00:00:00.000Z',
    /was due on 2026-03-01 00:00 UTC\./,
  ],
  [
    'a reward whose review is due right now',
    facts('IN_REVIEW', { reviewDueAt: '2026-03-02T00:00:00.000Z' }),
    'OPERATOR',
    '2026-03-02T00:00:00.000Z',
    /is due on 2026-03-02 00:00 UTC\./,
  ],
  [
    'a reward whose review is about to open',
    facts('IN_REVIEW'),
    'OPERATOR',
    null,
    /so an operator decides\. If the refund is upheld/,
  ],
  [
    'a reward of which a part is under review',
    facts('IN_REVIEW', {
      reward: { ...reviewed, underReview: 30 },
    }),
    'OPERATOR',
    null,
    /a part of the order: if the refund is upheld, 30 of the 100 points are taken back, and the customer keeps 70; if it is dismissed, the customer keeps all of them\.$/,
  ],
  [
    'an expired reward',
    facts('EXPIRED'),
    'NOBODY',
    null,
    /^Nothing\. The reward was not claimed .* went back to the funding\./,
  ],
  [
    'an expired reward that was never funded',
    facts('EXPIRED', { isReserved: false }),
    'NOBODY',
    null,
    /in time\. A refund/,
  ],
  ['a cancelled reward', facts('CANCELLED'), 'NOBODY', null, /is cancelled/],
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
  t.throws(() => nextStepOf(facts('UNHEARD_OF' as RewardState)), { message: /UNHEARD_OF/ });
});
