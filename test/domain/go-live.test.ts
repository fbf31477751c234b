import test from 'ava';
import {
  clearedFields,
  type GoLiveFacts,
  type GoLiveState,
  goLiveChecklist,
  goLiveMove,
  profileFields,
  type Requirement,
} from '../../domain/go-live.ts';

/** A partner that meets every requirement and is approved. */
const complete: GoLiveFacts = {
  profile: {
    legalName: 'Corner Shop Ltd',
    country: 'US',
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
    ['SANDBOX', { website: null }, []],
    ['IN_REVIEW', { legalName: '' }, []],
  ];
  for (const [state, changes, emptied] of cases) {
    t.deepEqual(clearedFields(state, changes), emptied, JSON.stringify([state, changes]));
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
