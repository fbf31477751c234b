import { type GoLiveFacts, goLiveChecklist, type Requirement } from './go-live.ts';
import type { RewardStatus } from './reward-states.ts';

/** The steps of a partner from nothing to LIVE, in order (docs/domain.md, Set-up and go-live). */
export const setUpSteps = [
  'INTEGRATION',
  'TEST_KEY',
  'STORE_SECRET',
  'EARNING_RULE',
  'TEST_FUNDING',
  'TEST_PURCHASE',
  'INSPECT_RESPONSE',
  'TEST_REFUND',
  'VERIFY',
  'GO_LIVE',
  'LIVE_KEY',
] as const;

export type SetUpStep = (typeof setUpSteps)[number];

/**
 * OPTIONAL: not done, and not required. WAITING: with a reviewer. LOCKED: another step comes first.
 */
export type SetUpState = 'DONE' | 'TO_DO' | 'OPTIONAL' | 'WAITING' | 'LOCKED';

/**
 * What is stored about a partner's set-up: what go-live requires, and what comes before and after.
 */
export interface SetUpFacts {
  goLive: GoLiveFacts;
  /** TEST keys that are not revoked. */
  testKeyIds: readonly string[];
  /** A TEST key that has signed a request, which shows that its secret is where it is needed. */
  usedTestKeyId: string | null;
  /** Its active TEST rules. */
  testRuleIds: readonly string[];
  /** Ids of top-ups of TEST funding, not necessarily all. */
  testFundingIds: readonly string[];
  /** The reward of the TEST purchase that serves as evidence. */
  testReward: { rewardId: string; status: RewardStatus } | null;
  /** LIVE keys that are not revoked. */
  liveKeyIds: readonly string[];
}

export interface SetUpItem {
  step: SetUpStep;
  state: SetUpState;
  /** The ids of what proves it. */
  evidence: readonly string[];
}

export interface SetUp {
  items: readonly SetUpItem[];
  /**
   * What to do next: never a step that follows from another one. Null if everything is done, or
   * waits for somebody else. A LIVE partner is only asked for LIVE credentials.
   */
  next: { step: SetUpStep; requirement: Requirement | null } | null;
}

/** Steps that complete themselves when others are done: there is nothing to do on them. */
const doneByOthers: readonly SetUpStep[] = ['STORE_SECRET', 'INSPECT_RESPONSE', 'VERIFY'];

/** The statuses before a refund has changed the reward. */
const beforeRefund: readonly RewardStatus[] = ['PENDING', 'AWAITING_FUNDING', 'AVAILABLE'];

/**
 * A partner's progress towards LIVE: each step with its state and evidence, and what to do next.
 * The requirements are those of the go-live checklist.
 */
export function setUpOf(facts: SetUpFacts): SetUp {
  const { goLive, testReward } = facts;
  const checklist = goLiveChecklist(goLive);
  const provenBy = (requirement: Requirement): readonly string[] =>
    checklist.items.find((one) => one.requirement === requirement && one.isMet)?.evidence ?? [];
  const isRefunded =
    provenBy('TEST_REFUND').length > 0 &&
    testReward !== null &&
    !beforeRefund.includes(testReward.status);
  const rewardIds = testReward === null ? [] : [testReward.rewardId];

  const evidence: Record<SetUpStep, readonly string[]> = {
    INTEGRATION: provenBy('INTEGRATION'),
    TEST_KEY: facts.testKeyIds,
    STORE_SECRET: facts.usedTestKeyId === null ? [] : [facts.usedTestKeyId],
    EARNING_RULE: facts.testRuleIds,
    TEST_FUNDING: facts.testFundingIds,
    TEST_PURCHASE: provenBy('TEST_PURCHASE'),
    INSPECT_RESPONSE: rewardIds,
    TEST_REFUND: provenBy('TEST_REFUND'),
    VERIFY: isRefunded ? rewardIds : [],
    GO_LIVE: provenBy('APPROVAL'),
    LIVE_KEY: facts.liveKeyIds,
  };
  const undone: Partial<Record<SetUpStep, SetUpState>> = {
    TEST_FUNDING: 'OPTIONAL',
    ...(goLive.state === 'IN_REVIEW' && { GO_LIVE: 'WAITING' as const }),
    ...(goLive.state !== 'LIVE' && { LIVE_KEY: 'LOCKED' as const }),
  };
  const items = setUpSteps.map((step): SetUpItem => {
    const isDone = evidence[step].length > 0 && undone[step] !== 'LOCKED';
    const state = isDone ? 'DONE' : (undone[step] ?? 'TO_DO');
    return { step, state, evidence: isDone ? evidence[step] : [] };
  });
  const isLive = goLive.state === 'LIVE';
  const step = items.find(
    (item) =>
      item.state === 'TO_DO' &&
      !doneByOthers.includes(item.step) &&
      (!isLive || item.step === 'LIVE_KEY'),
  )?.step;
  const missing = checklist.items.find(({ isMet }) => !isMet)?.requirement ?? null;
  return {
    items,
    next: step === undefined ? null : { step, requirement: step === 'GO_LIVE' ? missing : null },
  };
}
