import test from 'ava';
import fc from 'fast-check';
import {
  type GoLiveFacts,
  type GoLiveState,
  type Requirement,
  type SetUpFacts,
  type SetUpState,
  type SetUpStep,
  setUpOf,
  setUpSteps,
} from '../../domain/go-live.ts';

const nobody: GoLiveFacts = {
  profile: {
    legalName: null,
    country: 'US',
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

const complete: GoLiveFacts = {
  profile: {
    legalName: 'Corner Shop Ltd',
    country: 'US',
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
  testFundingIds: [],
  testReward: null,
  liveKeyIds: [],
};

const everything: SetUpFacts = {
  goLive: complete,
  testKeyIds: ['key_test'],
  usedTestKeyId: 'key_test',
  testRuleIds: ['rul_test'],
  testFundingIds: ['txn_test'],
  testReward: { rewardId: 'PNR_1', status: 'CANCELLED' },
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
  [{ testReward: { rewardId: 'PNR_1', status: 'PENDING' } }, 'TEST_REFUND'],
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
  [{ testReward: { rewardId: 'PNR_1', status: 'CANCELLED' } }, 'GO_LIVE', 'PROFILE'],
  [{ goLive: { ...complete, state: 'SANDBOX', liveRuleIds: [] } }, 'GO_LIVE', 'EARNING_RULE'],
  [{ goLive: { ...complete, state: 'SANDBOX', funding: nobody.funding } }, 'GO_LIVE', 'FUNDING'],
  [{ goLive: { ...complete, state: 'SANDBOX' } }, 'GO_LIVE', 'APPROVAL'],
  [{ goLive: { ...complete, state: 'CHANGES_REQUESTED' } }, 'GO_LIVE', 'APPROVAL'],
  [{ goLive: { ...complete, state: 'IN_REVIEW' } }, null],
  [{ goLive: complete }, 'LIVE_KEY'],
  [{ liveKeyIds: ['key_live'] }, null],
];

test('the next step is the first required, undone one with something to do', (t) => {
  let facts: SetUpFacts = nothing;
  for (const [added, step, requirement = null] of path) {
    facts = { ...facts, ...added };
    t.deepEqual(setUpOf(facts).next, step === null ? null : { step, requirement }, `${step}`);
  }
});

const states: [what: string, facts: SetUpFacts, step: SetUpStep, state: SetUpState][] = [
  [
    'a secret that has signed nothing',
    { ...everything, usedTestKeyId: null },
    'STORE_SECRET',
    'TO_DO',
  ],
  ['no TEST funding', { ...everything, testFundingIds: [] }, 'TEST_FUNDING', 'OPTIONAL'],
  [
    'a refund that has not reached its reward',
    { ...everything, testReward: { rewardId: 'PNR_1', status: 'PENDING' } },
    'VERIFY',
    'TO_DO',
  ],
  [
    'a reward that ended without a refund',
    {
      ...everything,
      goLive: { ...complete, testRefund: null },
      testReward: { rewardId: 'PNR_1', status: 'EXPIRED' },
    },
    'VERIFY',
    'TO_DO',
  ],
  [
    'a request in review',
    { ...everything, goLive: { ...complete, state: 'IN_REVIEW' } },
    'GO_LIVE',
    'WAITING',
  ],
  ['no LIVE key', { ...everything, liveKeyIds: [] }, 'LIVE_KEY', 'TO_DO'],
];

for (const [what, facts, step, state] of states) {
  test(`${step} is ${state} with ${what}`, (t) => {
    t.like(lineOf(facts, step), { state, evidence: [] });
  });
}

const notLive: GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED'];
for (const state of notLive) {
  test(`LIVE credentials are locked in ${state}, even with keys`, (t) => {
    const facts = { ...everything, goLive: { ...complete, state } };
    t.like(lineOf(facts, 'LIVE_KEY'), { state: 'LOCKED', evidence: [] });
  });
}

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
