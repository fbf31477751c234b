import { knownTimeZone, type Located } from './branding.ts';
import type { Mode } from './mode.ts';
import type { RewardState } from './reward.ts';
import { zoneOfCountry } from './time-zones.ts';

/** How a partner goes LIVE: a checklist over what is stored, then an operator's approval. */

export type GoLiveState = 'SANDBOX' | 'IN_REVIEW' | 'CHANGES_REQUESTED' | 'LIVE';
export type GoLiveMove = 'REQUEST' | 'APPROVE' | 'RETURN';

/** The mode in which a partner can be hurt: what concerns a LIVE partner as a whole concerns LIVE. */
export const modeOfPartner = ({ goLive }: { goLive: { state: GoLiveState } }): Mode =>
  goLive.state === 'LIVE' ? 'LIVE' : 'TEST';

const moves: Record<GoLiveMove, { from: readonly GoLiveState[]; to: GoLiveState }> = {
  REQUEST: { from: ['SANDBOX', 'CHANGES_REQUESTED'], to: 'IN_REVIEW' },
  APPROVE: { from: ['IN_REVIEW'], to: 'LIVE' },
  RETURN: { from: ['IN_REVIEW'], to: 'CHANGES_REQUESTED' },
};

/**
 * The states a move is made from, and the state it leads to. No move leaves LIVE: a partner is
 * stopped by suspending it.
 */
export const goLiveMove = (move: GoLiveMove) => moves[move];

/**
 * The profile fields that must be filled in before go-live (docs/integrate/going-live.md, Set-up and go-live).
 */
export const profileFields = [
  'legalName',
  'country',
  'timeZone',
  'currency',
  'contactEmail',
  'supportEmail',
  'website',
] as const;

export const isFilledIn = (value: string | null): boolean => (value ?? '').trim() !== '';

/**
 * The fields required for go-live that a change would clear. Once LIVE, a profile has to stay
 * complete, since customers and operators reach the partner through it.
 * @param country the partner's, unless it changes: most have one time zone, which need not be chosen
 * @returns the cleared fields; none before LIVE
 */
export function clearedFields(
  state: GoLiveState,
  changes: Partial<Record<(typeof profileFields)[number], string | null>>,
  country: string | null,
): (typeof profileFields)[number][] {
  if (state !== 'LIVE') return [];
  const { timeZone } = changes;
  const inCountry = changes.country ?? country;
  const zone = timeZone ?? (inCountry && zoneOfCountry(inCountry));
  const changed = { ...changes, ...(timeZone !== undefined && { timeZone: zone }) };
  return profileFields.filter((field) => {
    const value = changed[field];
    return value !== undefined && !isFilledIn(value);
  });
}

/** The profile as go-live requires it: the time zone is that of the country, where it has one only. */
export const goLiveProfile = <Partner extends Located>(partner: Partner) => ({
  ...partner,
  timeZone: knownTimeZone(partner),
});

/** What is stored about a partner, with the ids of the evidence. */
export interface GoLiveEvidence {
  profile: Record<(typeof profileFields)[number], string | null>;
  /** Its active LIVE rules. */
  liveRuleIds: readonly string[];
  funding: {
    /** The available LIVE funding. */
    balanceCents: number;
    /** What operators require of this partner. */
    minimumCents: number;
    /** Ids of the top-ups behind it, not necessarily all. */
    transactionIds: readonly string[];
  };
  integrationIds: readonly string[];
  /** A TEST purchase, if possible one with a refund. */
  testPurchaseId: string | null;
  /** A TEST refund with its purchase. */
  testRefund: { eventId: string; purchaseEventId: string } | null;
  state: GoLiveState;
  /** The id of the operator who approved it. */
  approvedBy: string | null;
}

export type Requirement =
  | 'PROFILE'
  | 'EARNING_RULE'
  | 'FUNDING'
  | 'INTEGRATION'
  | 'TEST_PURCHASE'
  | 'TEST_REFUND'
  | 'APPROVAL';

export interface ChecklistItem {
  requirement: Requirement;
  isMet: boolean;
  /** The ids of what proves it. */
  evidence: string[];
  /** What remains to be done, as a sentence; null if the requirement is met. */
  missing: string | null;
}

export interface Checklist {
  items: ChecklistItem[];
  /** The partner has done its part: the review can be requested. */
  isReady: boolean;
  /** Everything is met, including the approval. */
  isComplete: boolean;
}

/**
 * The requirements for going live, each with its evidence (docs/integrate/going-live.md, Set-up and go-live):
 * approval, a complete profile, active earning rules, sufficient funding, an integration, and
 * evidence of a TEST purchase and its refund.
 */
export function goLiveChecklist(found: GoLiveEvidence): Checklist {
  const { profile, funding, testPurchaseId, testRefund } = found;
  const blank = profileFields.filter((field) => !isFilledIn(profile[field]));
  const isFunded = funding.balanceCents > 0 && funding.balanceCents >= funding.minimumCents;
  const isMatching = testRefund !== null && testRefund.purchaseEventId === testPurchaseId;
  const prepared = [
    item('PROFILE', blank.length === 0, [], `Fill in ${blank.join(', ')}.`),
    item(
      'EARNING_RULE',
      found.liveRuleIds.length > 0,
      found.liveRuleIds,
      'Create a LIVE earning rule and activate it.',
    ),
    item(
      'FUNDING',
      isFunded,
      funding.transactionIds,
      `Top up: the balance is ${funding.balanceCents} cents, and at least ${Math.max(1, funding.minimumCents)} are required.`,
    ),
    item(
      'INTEGRATION',
      found.integrationIds.length > 0,
      found.integrationIds,
      'Create an integration.',
    ),
    item(
      'TEST_PURCHASE',
      testPurchaseId !== null,
      testPurchaseId === null ? [] : [testPurchaseId],
      'Send a signed TEST purchase.',
    ),
    item(
      'TEST_REFUND',
      isMatching,
      isMatching ? [testRefund.eventId] : [],
      'Send a signed TEST refund of a TEST purchase.',
    ),
  ];
  const isReady = prepared.every(({ isMet }) => isMet);
  const approval = item(
    'APPROVAL',
    found.state === 'LIVE',
    found.approvedBy === null ? [] : [found.approvedBy],
    found.state === 'IN_REVIEW' ? 'An operator is reviewing the request.' : 'Request the review.',
  );
  return {
    items: [...prepared, approval],
    isReady,
    isComplete: isReady && approval.isMet,
  };
}

function item(
  requirement: Requirement,
  isMet: boolean,
  evidence: readonly string[],
  toDo: string,
): ChecklistItem {
  return { requirement, isMet, evidence: [...evidence], missing: isMet ? null : toDo };
}

/** The steps of a partner from nothing to LIVE, in order (docs/integrate/going-live.md, Set-up and go-live). */
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
export interface SetUpEvidence {
  goLive: GoLiveEvidence;
  /** TEST keys that are not revoked. */
  testKeyIds: readonly string[];
  /** A TEST key that has signed a request, which shows that its secret is where it is needed. */
  usedTestKeyId: string | null;
  /** Its active TEST rules. */
  testRuleIds: readonly string[];
  /** Those in the currency of its funds: the request for go-live promotes them if no LIVE rule is active. */
  promotableRuleIds: readonly string[];
  /** Ids of top-ups of TEST funding, not necessarily all. */
  testFundingIds: readonly string[];
  /** The reward of the TEST purchase that serves as evidence. */
  testReward: { rewardId: string; state: RewardState; isRefunded: boolean } | null;
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

/** Whether the request for go-live meets a condition by itself: it promotes TEST rules. */
export const comesWithRequest = (
  requirement: Requirement,
  { promotableRuleIds }: Pick<SetUpEvidence, 'promotableRuleIds'>,
): boolean => requirement === 'EARNING_RULE' && promotableRuleIds.length > 0;

/**
 * A partner's progress towards LIVE: each step with its state and evidence, and what to do next.
 * The requirements are those of the go-live checklist.
 */
export function setUpOf(found: SetUpEvidence): SetUp {
  const { goLive, testReward } = found;
  const checklist = goLiveChecklist(goLive);
  const provenBy = (requirement: Requirement): readonly string[] =>
    checklist.items.find((one) => one.requirement === requirement && one.isMet)?.evidence ?? [];
  const isRefunded =
    provenBy('TEST_REFUND').length > 0 && testReward !== null && testReward.isRefunded;
  const rewardIds = testReward === null ? [] : [testReward.rewardId];

  const evidence: Record<SetUpStep, readonly string[]> = {
    INTEGRATION: provenBy('INTEGRATION'),
    TEST_KEY: found.testKeyIds,
    STORE_SECRET: found.usedTestKeyId === null ? [] : [found.usedTestKeyId],
    EARNING_RULE: found.testRuleIds,
    TEST_FUNDING: found.testFundingIds,
    TEST_PURCHASE: provenBy('TEST_PURCHASE'),
    INSPECT_RESPONSE: rewardIds,
    TEST_REFUND: provenBy('TEST_REFUND'),
    VERIFY: isRefunded ? rewardIds : [],
    GO_LIVE: provenBy('APPROVAL'),
    LIVE_KEY: found.liveKeyIds,
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
  const missing =
    checklist.items.find(
      ({ requirement, isMet }) => !isMet && !comesWithRequest(requirement, found),
    )?.requirement ?? null;
  return {
    items,
    next: step === undefined ? null : { step, requirement: step === 'GO_LIVE' ? missing : null },
  };
}
