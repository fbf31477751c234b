import { assertNever } from './assert-never.ts';
import type { Language } from './languages.ts';
import { mailPatienceMs, type SentMessage, type Undelivered } from './messages.ts';
import type { Mode } from './mode.ts';
import type { PointsArithmetic } from './points.ts';
import type { ReviewRef } from './review.ts';

/** A move that was made, and its cause. */
export interface MadeMove {
  move: RewardMove;
  at: Date;
  /** The reward's status after the move, also for a refund that changed nothing. */
  status: RewardStatus;
  /** For a refund: its order event, whose response follows from this move. */
  refundEventId?: string;
  /** For a refund: how much of the order it refunded. */
  amountCents?: number;
  /** For a reduction: what the reward lost. */
  lost?: Loss;
  /** For an operator's decision: the review. */
  reviewId?: string;
  /** The trace that it was made in, if one was recorded; its workflow continues it. */
  traceparent?: string;
}

/** What an order earns: its points, what they cost the partner, and why. */
export type Worth = Pick<Reward, 'points' | 'liabilityCents' | 'arithmetic'>;

/** Points that a reward loses as part of its order comes back, and what they cost the partner. */
export type Loss = Pick<Reward, 'points' | 'liabilityCents'>;

/** Where a funded LIVE reward's points are counted. */
export interface CountedIn {
  /** `usagePeriodId` */
  periodId: string;
  /** The UTC day on which it was funded. */
  day: string;
}

/** What to tell the partner about its funds, decided with the reward's funding. */
export interface FundingNotice {
  /** Set if the reward waits for funds and is first in the queue. */
  missingCents: number | null;
  /** Set if its reservation took the funding below the partner's threshold. */
  lowBalanceCents: number | null;
}

/** A reward as it is stored, and the authority on its state. */
export interface Reward extends RewardState {
  _id: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  purchaseEventId: string;
  externalOrderId: string;
  workflowId: string;
  customerId: string;
  claimTokenHash: string;
  currency: string;
  points: number;
  /** The cost for the partner. */
  liabilityCents: number;
  /** The wallet that funds it (`walletIdOf`). */
  walletId: string;
  /** The rule version and the calculation, which explain the points. */
  arithmetic: PointsArithmetic;
  /**
   * How much of the order's subtotal was refunded, with what is under review and without what was
   * dismissed or taken back. The points of an open reward are of what remains without what is under review.
   */
  refundedCents: number;
  /** What remains if the review is upheld; null without a review, or if nothing remains. */
  afterReview: Worth | null;
  /** The customer's day that it counts in, if the rule has a daily cap; otherwise null. */
  customerDayId: string | null;
  /** How long the customer can claim it, an ISO 8601 duration. */
  claimWindow: string;
  claimExpiresAt: Date;
  /** The language of the page on which the customer claimed it; absent if unknown. */
  claimLanguage?: Language;
  /** Whether its money was reserved. A TEST reward can be funded without any. */
  isReserved: boolean;
  /** Null if its points are counted nowhere, or no longer. */
  countedIn: CountedIn | null;
  fundingNotice: FundingNotice | null;
  /** The review opened by the latest refund of the claimed reward. */
  review: ReviewRef | null;
  /** The cancellation by an operator; also null if a refund cancelled the reward. */
  cancellation: Cancellation | null;
  /** Absent if the contact is the one that the purchase gave. */
  correction?: Correction;
  /** The number of moves. */
  version: number;
  moves: readonly MadeMove[];
  /** Messages that did not reach the customer; absent without any. */
  undelivered?: Undelivered[];
  /** The newest messages that were sent; absent without any. */
  sent?: SentMessage[];
  createdAt: Date;
  updatedAt: Date;
}

/** A reward as its workflow sees it. */
export interface RewardSnapshot extends RewardState {
  rewardId: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  /**
   * A short form if the id is a customer's address or phone number, since workflow histories cannot
   * be erased.
   */
  externalOrderId: string;
  purchaseEventId: string;
  points: number;
  liabilityCents: number;
  customerId: string;
  claimExpiresAt: string;
  /** The number of moves. */
  version: number;
  /** The review opened by the latest refund of the claimed reward. */
  review: ReviewRef | null;
  fundingNotice: FundingNotice | null;
  /** ISO 8601, when it was last funded or its contact corrected; null if it is not funded. */
  fundedAt: string | null;
  /** ISO 8601, when its contact was corrected; null if it was not. */
  correctedAt: string | null;
  /** The points that the review took back from the customer; null if it took none, or is not decided. */
  takenBackPoints: number | null;
}

/** An operator's cancellation of a reward. */
export interface Cancellation {
  operatorId: string;
  cancelledAt: string;
  /** The operator's reason, sealed and bound to the reward's id. */
  sealedReason: string;
}

/** The correction of a contact that was wrong. */
export interface Correction {
  correctedAt: string;
  /** Whose the reward was until then. */
  fromCustomerId: string;
  /** `SealedContact` as JSON, sealed and bound to the reward (`correctionContext`). */
  sealedContact: string;
}

export const correctionContext = (rewardId: string): string => `${rewardId}/contact`;

/** The states of a reward and every move between them (docs/concepts/rewards.md, Reward states). */

export type RewardStatus =
  | 'PENDING'
  | 'AWAITING_FUNDING'
  | 'AVAILABLE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'ADMIN_REVIEW';

export type CustomerStatus = 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';

export interface RewardState {
  status: RewardStatus;
  customerStatus: CustomerStatus;
  /** Whether the partner's money is reserved for it. */
  funded: boolean;
}

/** Moves decided by what the wallet holds, in queue order. */
export type FundingMove = 'FUND' | 'RUN_SHORT';

/** Moves made by the customer, the partner, an operator or the clock. */
export type SettlingMove =
  | 'CLAIM'
  | 'EXPIRE'
  | 'REFUND'
  | 'REDUCE'
  | 'CANCEL'
  | 'REINSTATE'
  | 'CORRECT'
  | 'UPHOLD'
  | 'DISMISS';

export type RewardMove = FundingMove | SettlingMove;

interface Row {
  from: RewardStatus;
  /** The funding that the row requires; either if absent. */
  funded?: boolean;
  on: RewardMove;
  /** Null if the move is recorded but changes nothing. */
  to: RewardState | null;
}
const state = (
  status: RewardStatus,
  customerStatus: CustomerStatus,
  funded: boolean,
): RewardState => ({
  status,
  customerStatus,
  funded,
});

export const initialState = state('PENDING', 'AWAITING_CUSTOMER_CLAIM', false);
const waitingState = state('AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', false);
const claimedState = state('AVAILABLE', 'CLAIMED', true);
const fundedState = state('PENDING', 'AWAITING_CUSTOMER_CLAIM', true);
const expired = state('EXPIRED', 'CLAIM_EXPIRED', false);
const cancelled = state('CANCELLED', 'CANCELLED', false);

export const rewardTable: readonly Row[] = [
  { from: 'PENDING', funded: false, on: 'FUND', to: fundedState },
  { from: 'PENDING', funded: false, on: 'RUN_SHORT', to: waitingState },
  { from: 'AWAITING_FUNDING', on: 'FUND', to: fundedState },
  { from: 'PENDING', funded: true, on: 'CLAIM', to: claimedState },
  { from: 'PENDING', on: 'EXPIRE', to: expired },
  { from: 'AWAITING_FUNDING', on: 'EXPIRE', to: expired },
  { from: 'PENDING', on: 'REFUND', to: cancelled },
  { from: 'AWAITING_FUNDING', on: 'REFUND', to: cancelled },
  // Part of the order came back, and something remains.
  { from: 'PENDING', funded: true, on: 'REDUCE', to: fundedState },
  { from: 'AWAITING_FUNDING', on: 'REDUCE', to: waitingState },
  { from: 'ADMIN_REVIEW', on: 'REDUCE', to: claimedState },
  // The contact was wrong: the reward is another customer's.
  { from: 'PENDING', on: 'CORRECT', to: null },
  { from: 'AWAITING_FUNDING', on: 'CORRECT', to: null },
  // A claimed reward belongs to the customer: only a refund, by way of a review, takes it back.
  { from: 'PENDING', on: 'CANCEL', to: cancelled },
  { from: 'AWAITING_FUNDING', on: 'CANCEL', to: cancelled },
  { from: 'AVAILABLE', on: 'REFUND', to: state('ADMIN_REVIEW', 'CLAIMED', true) },
  { from: 'ADMIN_REVIEW', on: 'UPHOLD', to: cancelled },
  { from: 'ADMIN_REVIEW', on: 'DISMISS', to: claimedState },
  // Only after a refund of the unclaimed reward: see `isReinstatable`.
  { from: 'CANCELLED', on: 'REINSTATE', to: initialState },
  { from: 'CANCELLED', on: 'REFUND', to: null },
  { from: 'EXPIRED', on: 'REFUND', to: null },
  { from: 'ADMIN_REVIEW', on: 'REFUND', to: null },
];

/**
 * Whether a reward can be reinstated: a refund cancelled it before it was claimed, and its claim window is
 * still open.
 */
export function isReinstatable(
  { status, moves, claimExpiresAt }: Pick<Reward, 'status' | 'moves' | 'claimExpiresAt'>,
  at: Date,
): boolean {
  if (status !== 'CANCELLED' || claimExpiresAt <= at) return false;
  const before = moves.findLastIndex((made) => made.status !== 'CANCELLED');
  return moves[before + 1]?.move === 'REFUND';
}

/** Whether the contact of a reward can be corrected: once, before it is claimed and within its claim window. */
export const isCorrectable = (
  reward: Pick<Reward, 'status' | 'customerStatus' | 'funded' | 'correction' | 'claimExpiresAt'>,
  at: Date,
): boolean =>
  canMove(reward, 'CORRECT') && reward.correction === undefined && reward.claimExpiresAt > at;

/**
 * What a reward's ledger entries name it by: its id, with a number after it was reinstated, since it is
 * reserved anew.
 */
export function entryNameOf({ _id, moves }: Pick<Reward, '_id' | 'moves'>): string {
  const times = moves.filter(({ move }) => move === 'REINSTATE').length;
  return times === 0 ? _id : `${_id}:${times + 1}`;
}

/** A move that the table does not have: a bug in the caller, which never reaches the database. */
export class IllegalMoveError extends Error {
  override name = 'IllegalMoveError';
}

export function canMove(from: RewardState, move: RewardMove): boolean {
  return findRow(from, move) !== undefined;
}

/** The state after a move. @throws IllegalMoveError if the table does not have it */
export function applyMove(from: RewardState, move: RewardMove): RewardState {
  const row = findRow(from, move);
  if (!row) {
    throw new IllegalMoveError(`${move} from ${from.status}${from.funded ? ' (funded)' : ''}`);
  }
  return row.to ?? from;
}

/** What a reward waits for. */
export type WaitingFor = 'CUSTOMER' | 'FUNDS' | 'OPERATOR' | 'NOBODY';

const waitingOf: Record<RewardStatus, WaitingFor> = {
  PENDING: 'CUSTOMER',
  AWAITING_FUNDING: 'FUNDS',
  ADMIN_REVIEW: 'OPERATOR',
  AVAILABLE: 'NOBODY',
  EXPIRED: 'NOBODY',
  CANCELLED: 'NOBODY',
};

export const rewardStatuses = Object.keys(waitingOf) as RewardStatus[];

/** The statuses of a claimed reward that has not been taken back. */
export const claimedStatuses: readonly RewardStatus[] = ['AVAILABLE', 'ADMIN_REVIEW'];

/** The statuses in which a reward waits for something: its workflow stays open. */
export const openStatuses = rewardStatuses.filter((status) => waitingOf[status] !== 'NOBODY');

/** What a reward waits for. Its workflow stays open until that is NOBODY. */
export function waitingFor({ status }: RewardState): WaitingFor {
  return waitingOf[status];
}

export type RefundStatus = 'CANCELLED' | 'REDUCED' | 'ADMIN_REVIEW' | 'NO_ACTION';

/**
 * The refund status in the response, from the reward's status after the refund (docs/concepts/rewards.md, Reward states).
 * @throws IllegalMoveError for a status that no refund leads to
 */
export function refundStatusOf(status: RewardStatus): RefundStatus {
  if (status === 'CANCELLED' || status === 'ADMIN_REVIEW') return status;
  if (status === 'PENDING' || status === 'AWAITING_FUNDING') return 'REDUCED';
  if (status === 'EXPIRED') return 'NO_ACTION';
  throw new IllegalMoveError(`a refund cannot leave a reward ${status}`);
}

/**
 * Whether the customer is to be sent the claim link: once per claim window, when the reward can be
 * claimed. If it was funded so long ago that sending would have been given up, the link was sent or
 * cannot be.
 * @param offeredUntil ISO 8601, the end of the claim window for which the link was sent, or is being
 *   sent; null if there is none
 */
export function isClaimLinkDue(
  {
    status,
    fundedAt,
    claimExpiresAt,
  }: Pick<RewardSnapshot, 'status' | 'fundedAt' | 'claimExpiresAt'>,
  offeredUntil: string | null,
  nowMs: number,
): boolean {
  if (status !== 'PENDING' || fundedAt === null || claimExpiresAt === offeredUntil) return false;
  return nowMs < Date.parse(claimExpiresAt) && nowMs - Date.parse(fundedAt) <= mailPatienceMs;
}

/** The state of a reward as the customer with its link sees it. */
export type ClaimPageState =
  | 'OPEN'
  | 'BEING_PREPARED'
  | 'AWAITING_FUNDING'
  | 'SUSPENDED'
  | 'CLAIMED'
  | 'IN_REVIEW'
  | 'EXPIRED'
  | 'CANCELLED';

interface ClaimFacts {
  status: RewardStatus;
  customerStatus: CustomerStatus;
  funded: boolean;
  claimExpiresAt: Date;
}

/**
 * What a reward's state means to its customer (docs/concepts/rewards.md, Reward states). The window ends on
 * time, even before the workflow has expired the reward.
 * @param isSuspended whether the partner is suspended; what was claimed before stays claimed
 */
export function claimPageStateOf(
  { status, customerStatus, funded, claimExpiresAt }: ClaimFacts,
  { isSuspended, nowMs }: { isSuspended: boolean; nowMs: number },
): ClaimPageState {
  switch (customerStatus) {
    case 'CLAIMED':
      return status === 'ADMIN_REVIEW' ? 'IN_REVIEW' : 'CLAIMED';
    case 'CLAIM_EXPIRED':
      return 'EXPIRED';
    case 'CANCELLED':
      return 'CANCELLED';
    case 'AWAITING_CUSTOMER_CLAIM':
      if (claimExpiresAt.getTime() <= nowMs) return 'EXPIRED';
      if (isSuspended) return 'SUSPENDED';
      if (status === 'AWAITING_FUNDING') return 'AWAITING_FUNDING';
      return funded ? 'OPEN' : 'BEING_PREPARED';
    default:
      return assertNever(customerStatus, 'customer status');
  }
}

/** Whether the contact that was wrong is to be told so: once, and not days after it was given up. */
export const isCorrectionDue = (
  { correctedAt }: Pick<RewardSnapshot, 'correctedAt'>,
  isTold: boolean,
  nowMs: number,
): boolean =>
  Boolean(correctedAt) && !isTold && nowMs - Date.parse(correctedAt ?? '') <= mailPatienceMs;

const dayMs = 86_400_000;
/** Shorter claim windows get no reminder. */
const shortestWindowMs = 7 * dayMs;
/** How long before the end of the window the reminder is sent. */
const leadMs = 3 * dayMs;

/**
 * When to remind a customer of an unclaimed reward: once, three days before the end of the claim
 * window, if that is a week or longer. There are no reminders in TEST.
 * @returns milliseconds since the epoch; null if there is no reminder
 */
export function reminderAtMs({
  mode,
  status,
  fundedAt,
  claimExpiresAt,
}: Pick<RewardSnapshot, 'mode' | 'status' | 'fundedAt' | 'claimExpiresAt'>): number | null {
  if (mode !== 'LIVE' || status !== 'PENDING' || fundedAt === null) return null;
  const endMs = Date.parse(claimExpiresAt);
  return endMs - Date.parse(fundedAt) < shortestWindowMs ? null : endMs - leadMs;
}

function findRow(from: RewardState, move: RewardMove): Row | undefined {
  return rewardTable.find(
    (row) =>
      row.from === from.status &&
      row.on === move &&
      (row.funded === undefined || row.funded === from.funded),
  );
}
