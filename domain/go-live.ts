/** How a partner becomes live: a checklist of what is stored, and an operator's approval of it. */

export type GoLiveState = 'SANDBOX' | 'IN_REVIEW' | 'CHANGES_REQUESTED' | 'LIVE';
export type GoLiveMove = 'REQUEST' | 'APPROVE' | 'RETURN';

const moves: Record<GoLiveMove, { from: readonly GoLiveState[]; to: GoLiveState }> = {
  REQUEST: { from: ['SANDBOX', 'CHANGES_REQUESTED'], to: 'IN_REVIEW' },
  APPROVE: { from: ['IN_REVIEW'], to: 'LIVE' },
  RETURN: { from: ['IN_REVIEW'], to: 'CHANGES_REQUESTED' },
};

/** From which states a move is made, and where it leads. Nothing leads out of LIVE: suspension stops a partner. */
export const goLiveMove = (move: GoLiveMove) => moves[move];

/** What a profile must say before the partner can be live (docs/domain.md, Set-up and go-live). */
export const profileFields = [
  'legalName',
  'country',
  'currency',
  'contactEmail',
  'supportEmail',
  'website',
] as const;

/** Whether a field of a profile says something. */
export const isFilledIn = (value: string | null): boolean => (value ?? '').trim() !== '';

/**
 * What a change would take out of a profile that go-live asks for: once LIVE it stays complete, since
 * customers and operators reach the partner by it.
 * @returns the fields that the change leaves empty; none before LIVE
 */
export function emptiedByChange(
  state: GoLiveState,
  changes: Partial<Record<(typeof profileFields)[number], string | null>>,
): (typeof profileFields)[number][] {
  if (state !== 'LIVE') return [];
  return profileFields.filter((field) => {
    const value = changes[field];
    return value !== undefined && !isFilledIn(value);
  });
}

/** What is stored about a partner, with the ids of what proves it. */
export interface GoLiveFacts {
  profile: Record<(typeof profileFields)[number], string | null>;
  /** Its active LIVE rules. */
  liveRuleIds: readonly string[];
  funding: {
    /** LIVE, and free. */
    balanceCents: number;
    /** What the operators ask of this partner. */
    minimumCents: number;
    /** The top-ups it came from, or some of them. */
    transactionIds: readonly string[];
  };
  integrationIds: readonly string[];
  /** A TEST purchase, with its refund where there is one. */
  testPurchaseId: string | null;
  /** A TEST refund, with the purchase that it refers to. */
  testRefund: { eventId: string; purchaseEventId: string } | null;
  state: GoLiveState;
  /** Who approved it. */
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

/** One item of the checklist. */
export interface ChecklistItem {
  requirement: Requirement;
  isMet: boolean;
  /** The ids of what proves it. */
  evidence: string[];
  /** What is still to be done, in words; null for an item that is met. */
  missing: string | null;
}

export interface Checklist {
  items: ChecklistItem[];
  /** Everything that the partner can do is done: it may be put before a reviewer. */
  isReady: boolean;
  /** Everything is met, the approval too. */
  isComplete: boolean;
}

/**
 * What a partner needs before it is live, item by item, each with its evidence (docs/domain.md, Set-up and go-live:
 * approval, a completed profile, active earning rules, sufficient funding, an integration, and test
 * purchase and refund evidence).
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
    facts.state === 'IN_REVIEW' ? 'An operator reviews the request.' : 'Request the review.',
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
