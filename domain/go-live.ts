/** How a partner goes LIVE: a checklist over what is stored, then an operator's approval. */

export type GoLiveState = 'SANDBOX' | 'IN_REVIEW' | 'CHANGES_REQUESTED' | 'LIVE';
export type GoLiveMove = 'REQUEST' | 'APPROVE' | 'RETURN';

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
 * The profile fields that must be filled in before go-live (docs/domain.md, Set-up and go-live).
 */
export const profileFields = [
  'legalName',
  'country',
  'currency',
  'contactEmail',
  'supportEmail',
  'website',
] as const;

export const isFilledIn = (value: string | null): boolean => (value ?? '').trim() !== '';

/**
 * The fields required for go-live that a change would clear. Once LIVE, a profile has to stay
 * complete, since customers and operators reach the partner through it.
 * @returns the cleared fields; none before LIVE
 */
export function clearedFields(
  state: GoLiveState,
  changes: Partial<Record<(typeof profileFields)[number], string | null>>,
): (typeof profileFields)[number][] {
  if (state !== 'LIVE') return [];
  return profileFields.filter((field) => {
    const value = changes[field];
    return value !== undefined && !isFilledIn(value);
  });
}

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
 * The requirements for going live, each with its evidence (docs/domain.md, Set-up and go-live):
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
