import test from 'ava';
import fc from 'fast-check';
import {
  clearedFields,
  type GoLiveEvidence,
  type GoLiveState,
  goLiveChecklist,
  goLiveMove,
  goLiveProfile,
  profileFields,
  type Requirement,
  type SetUpEvidence,
  type SetUpState,
  type SetUpStep,
  setUpOf,
  setUpSteps,
} from '../../domain/go-live.ts';

/** A partner that meets every requirement and is approved. */
const complete: GoLiveEvidence = {
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

const unmet = (found: GoLiveEvidence) =>
  goLiveChecklist(found).items.flatMap(({ requirement, isMet }) => (isMet ? [] : [requirement]));

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
const lacking: [what: string, change: Partial<GoLiveEvidence>, requirement: Requirement][] = [
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
  const found: GoLiveEvidence = {
    profile: nothing as GoLiveEvidence['profile'],
    liveRuleIds: [],
    funding: { balanceCents: 0, minimumCents: 0, transactionIds: [] },
    integrationIds: [],
    testPurchaseId: null,
    testRefund: null,
    state: 'SANDBOX',
    approvedBy: null,
  };
  t.is(unmet(found).length, 7);
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

const nobody: GoLiveEvidence = {
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

const completeOfSetUp: GoLiveEvidence = {
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

const nothing: SetUpEvidence = {
  goLive: nobody,
  testKeyIds: [],
  usedTestKeyId: null,
  testRuleIds: [],
  promotableRuleIds: [],
  testFundingIds: [],
  testReward: null,
  liveKeyIds: [],
};

const everything: SetUpEvidence = {
  goLive: completeOfSetUp,
  testKeyIds: ['key_test'],
  usedTestKeyId: 'key_test',
  testRuleIds: ['rul_test'],
  promotableRuleIds: ['rul_test'],
  testFundingIds: ['txn_test'],
  testReward: { rewardId: 'PNR_1', state: 'CANCELLED', isRefunded: true },
  liveKeyIds: ['key_live'],
};

const lineOf = (found: SetUpEvidence, step: SetUpStep) =>
  setUpOf(found).items.find((one) => one.step === step);

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

/** A new partner's path: the found added at each step, and the next step after that. */
const path: [added: Partial<SetUpEvidence>, next: SetUpStep | null, requirement?: Requirement][] = [
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
  let found: SetUpEvidence = nothing;
  for (const [added, step, requirement = null] of path) {
    found = { ...found, ...added };
    t.deepEqual(setUpOf(found).next, step === null ? null : { step, requirement }, `${step}`);
  }
});

const statesOfSetUp: [what: string, found: SetUpEvidence, step: SetUpStep, state: SetUpState][] = [
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

for (const [what, found, step, state] of statesOfSetUp) {
  test(`${step} is ${state} with ${what}`, (t) => {
    t.like(lineOf(found, step), { state, evidence: [] });
  });
}

const notLive: GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED'];
for (const state of notLive) {
  test(`LIVE credentials are locked in ${state}, even with keys`, (t) => {
    const found = { ...everything, goLive: { ...completeOfSetUp, state } };
    t.like(lineOf(found, 'LIVE_KEY'), { state: 'LOCKED', evidence: [] });
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
  const parts = Object.keys(everything) as (keyof SetUpEvidence)[];
  fc.assert(
    fc.property(fc.subarray(parts), (missing) => {
      const found = {
        ...everything,
        ...Object.fromEntries(missing.map((part) => [part, nothing[part]])),
      } as SetUpEvidence;
      const { items, next } = setUpOf(found);
      t.deepEqual(
        items.map(({ step }) => step),
        [...setUpSteps],
      );
      for (const { state, evidence } of items) t.is(state === 'DONE', evidence.length > 0);
      const isNext = ({ step, state }: (typeof items)[number]) =>
        state === 'TO_DO' &&
        !['STORE_SECRET', 'INSPECT_RESPONSE', 'VERIFY'].includes(step) &&
        (found.goLive.state !== 'LIVE' || step === 'LIVE_KEY');
      t.is(next?.step, items.find(isNext)?.step);
    }),
  );
});
