import { assertNever } from './assert-never.ts';
import { knownTimeZone, type Located } from './branding.ts';
import type { Mode } from './mode.ts';
import { type RewardState, type WaitingFor, waitingFor } from './reward.ts';
import type { AtReview } from './reward-words.ts';
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
export interface GoLiveFacts {
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
export function goLiveChecklist(facts: GoLiveFacts): Checklist {
  const { profile, funding, testPurchaseId, testRefund } = facts;
  const blank = profileFields.filter((field) => !isFilledIn(profile[field]));
  const isFunded = funding.balanceCents > 0 && funding.balanceCents >= funding.minimumCents;
  const isMatching = testRefund !== null && testRefund.purchaseEventId === testPurchaseId;
  const prepared = [
    item('PROFILE', blank.length === 0, [], `Fill in ${blank.join(', ')}.`),
    item(
      'EARNING_RULE',
      facts.liveRuleIds.length > 0,
      facts.liveRuleIds,
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
      facts.integrationIds.length > 0,
      facts.integrationIds,
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
    facts.state === 'LIVE',
    facts.approvedBy === null ? [] : [facts.approvedBy],
    facts.state === 'IN_REVIEW' ? 'An operator is reviewing the request.' : 'Request the review.',
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
export interface SetUpFacts {
  goLive: GoLiveFacts;
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
  { promotableRuleIds }: Pick<SetUpFacts, 'promotableRuleIds'>,
): boolean => requirement === 'EARNING_RULE' && promotableRuleIds.length > 0;

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
    provenBy('TEST_REFUND').length > 0 && testReward !== null && testReward.isRefunded;
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
  const missing =
    checklist.items.find(
      ({ requirement, isMet }) => !isMet && !comesWithRequest(requirement, facts),
    )?.requirement ?? null;
  return {
    items,
    next: step === undefined ? null : { step, requirement: step === 'GO_LIVE' ? missing : null },
  };
}

/** What the next step of a purchase depends on. */
export interface NextStepFacts {
  /** Null until its workflow has created it. */
  reward:
    | ({ state: RewardState; claimExpiresAt: string; claimableFrom: string | null } & AtReview)
    | null;
  /** Whether the funding pays for the reward: not in TEST before test funding is added. */
  isReserved: boolean;
  /** When the open review is due, ISO 8601; null without one. */
  reviewDueAt: string | null;
  /** When a refund policy takes the points back, ISO 8601; null if operators decide. */
  policyUpholdsAt: string | null;
  /** Customers of a suspended partner can neither claim nor spend. */
  isSuspended: boolean;
  /** ISO 8601. */
  now: string;
}

export interface NextStep {
  /** `SERVICE`: nobody has to do anything; the service continues by itself. */
  waitsFor: WaitingFor | 'SERVICE';
  /** When the wait ends by itself, ISO 8601; null if it does not. */
  until: string | null;
  /** @param timeText formats an ISO 8601 time for the reader */
  sentence(timeText: (at: string) => string): string;
}

/** What happens next to a reward (docs/concepts/rewards.md, Reward states). */
export function nextStepOf(facts: NextStepFacts): NextStep {
  const { reward } = facts;
  if (reward === null) {
    return {
      waitsFor: 'SERVICE',
      until: null,
      sentence: () => 'The purchase is recorded. Its reward is created within seconds.',
    };
  }
  const { state, claimExpiresAt, claimableFrom } = reward;
  const waitsFor = waitingFor(state);
  switch (state) {
    case 'ACCEPTED':
      return {
        waitsFor: 'SERVICE',
        until: null,
        sentence: () =>
          'The reward is created. Whether the funds cover it is decided within seconds.',
      };
    case 'FUNDED':
      if (claimableFrom !== null && claimableFrom > facts.now) {
        return {
          waitsFor: 'SERVICE',
          until: claimableFrom,
          sentence: (timeText) => onHold(facts, timeText(claimableFrom), timeText(claimExpiresAt)),
        };
      }
      return {
        waitsFor,
        until: claimExpiresAt,
        sentence: (timeText) => forCustomer(facts, timeText(claimExpiresAt)),
      };
    case 'AWAITING_FUNDING':
      return {
        waitsFor,
        until: claimExpiresAt,
        sentence: (timeText) =>
          `The reward is in the queue for funds. Once it is funded, the customer gets the full claim window again. Otherwise it expires on ${timeText(claimExpiresAt)}. A refund of the whole order cancels it, and one of a part reduces it.`,
      };
    case 'AVAILABLE':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'The customer has claimed the points. Only a refund can change that, after a review.',
      };
    case 'IN_REVIEW':
      if (facts.policyUpholdsAt !== null) return byPolicy(reward, facts.policyUpholdsAt);
      return {
        waitsFor,
        until: facts.reviewDueAt,
        sentence: (timeText) => forAdmin(facts, reward, timeText),
      };
    case 'EXPIRED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          `Nothing. The reward was not claimed in time${gaveBack(facts)}. A refund is recorded and changes nothing.`,
      };
    case 'CANCELLED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'Nothing. The reward is cancelled. A further refund is recorded and changes nothing.',
      };
    default:
      return assertNever(state, 'reward state');
  }
}

function onHold({ isSuspended }: NextStepFacts, from: string, until: string): string {
  const frozen = isSuspended
    ? ' The partner is suspended: nobody can claim until it is active again, and the time keeps running.'
    : '';
  return `The reward is on hold: the customer can claim it from ${from} until ${until}. A refund of the whole order before it is claimed cancels it, and one of a part reduces it, without a review.${frozen}`;
}

function forCustomer({ isReserved, isSuspended }: NextStepFacts, until: string): string {
  const back = isReserved ? ', and what is reserved goes back to the funding' : '';
  const frozen = isSuspended
    ? ' The partner is suspended: nobody can claim until it is active again, and the claim window keeps running.'
    : '';
  return `The reward waits for the customer to claim it until ${until}. Then it expires${back}. A refund of the whole order before that cancels it, and one of a part reduces it.${frozen}`;
}

function byPolicy({ points, underReview }: AtReview, upholdsAt: string): NextStep {
  const all = underReview === points;
  const taken = all
    ? 'the reward is cancelled and its points are taken back'
    : `${underReview} of the ${points} points are taken back`;
  return {
    waitsFor: 'SERVICE',
    until: upholdsAt,
    sentence: (timeText) =>
      `The refund was decided by policy: on ${timeText(upholdsAt)}, ${taken}, unless an operator decides otherwise before. Until then the customer cannot spend them.`,
  };
}

function forAdmin(
  { reviewDueAt, now }: NextStepFacts,
  { points, underReview }: AtReview,
  timeText: (at: string) => string,
): string {
  const open = 'The customer had claimed the reward before the refund, so an operator decides';
  const outcome =
    underReview === points
      ? 'If the refund is upheld, the reward is cancelled and its points are taken back; if it is dismissed, the customer keeps them.'
      : `It is about a part of the order: if the refund is upheld, ${underReview} of the ${points} points are taken back, and the customer keeps ${points - underReview}; if it is dismissed, the customer keeps all of them.`;
  if (reviewDueAt === null) return `${open}. ${outcome}`;
  const due = reviewDueAt < now ? 'was due on' : 'is due on';
  return `${open}; the decision ${due} ${timeText(reviewDueAt)}. ${outcome}`;
}

function gaveBack({ isReserved }: NextStepFacts): string {
  return isReserved ? ', and what was reserved for it went back to the funding' : '';
}
