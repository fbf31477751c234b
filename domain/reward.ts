import { assertNever } from './assert-never.ts';
import type { Due } from './due.ts';
import type { Language } from './languages.ts';
import { mailPatienceMs, type SentMessage, type Undelivered } from './messages.ts';
import type { Mode } from './mode.ts';
import type { PointsArithmetic } from './points.ts';
import type { Payer } from './postings.ts';
import type { ReviewRef } from './review.ts';
import type { CountedBudget } from './rule-budgets.ts';
import { dayMs } from './utc-days.ts';

/** A move that was made, and its cause. */
export interface MadeMove {
  move: RewardMove;
  at: Date;
  /** The reward's state after the move, also for a refund that changed nothing. */
  state: RewardState;
  /** For a FUND that the funding did not pay for. */
  payer?: Payer;
  /** For a refund: its order event, whose response follows from this move. */
  refundEventId?: string;
  /** For a refund: how much of the order it refunded. */
  amountCents?: number;
  /** For a reduction: what the reward lost. */
  lost?: Loss;
  /** For an operator's decision: the review. */
  reviewId?: string;
  /** For a decision of a refund policy: its version. */
  policyId?: string;
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
  /** When it was; absent until then. */
  toldAt?: Date;
}

/** A reward as it is stored, and the authority on its state. */
export interface Reward {
  _id: string;
  state: RewardState;
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
  /** The rule version and the calculation, which explain the points. */
  arithmetic: PointsArithmetic;
  /**
   * How much of the order's subtotal was refunded, with what is under review and without what was
   * dismissed or taken back. The points of an open reward are of what remains without what is under review.
   */
  refundedCents: number;
  /** What remains if the review is upheld; null without a review, or if nothing remains. */
  afterReview: Worth | null;
  /** The customer's day that it counts in, `yyyy-mm-dd`, if the rule has a daily cap; otherwise null. */
  customerDay: string | null;
  /** The budget that it counts in; absent if its rule has none. */
  budget?: CountedBudget;
  /** How long the customer can claim it, an ISO 8601 duration. */
  claimWindow: string;
  claimExpiresAt: Date;
  /** When its hold ends or ended, and its claim window begins; absent if it never had a hold. */
  claimableFrom?: Date;
  /** The language of the page on which the customer claimed it; absent if unknown. */
  claimLanguage?: Language;
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
  /** Until its workflow has looked at what changed. */
  due: Due<PurchaseSignal> | null;
  /** Messages that did not reach the customer; absent without any. */
  undelivered?: Undelivered[];
  /** The newest messages that were sent; absent without any. */
  sent?: SentMessage[];
  createdAt: Date;
  updatedAt: Date;
}

/** A reward as its workflow sees it. */
export interface RewardSnapshot {
  rewardId: string;
  state: RewardState;
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
  /** When its hold ends or ended; absent if it never had one. */
  claimableFrom?: string;
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

export type RewardState =
  /** Its purchase was answered; its money is not looked at yet. */
  | 'ACCEPTED'
  | 'AWAITING_FUNDING'
  /** The customer can claim it. */
  | 'FUNDED'
  /** Claimed. */
  | 'AVAILABLE'
  | 'IN_REVIEW'
  | 'EXPIRED'
  | 'CANCELLED';

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
  | 'MATURE'
  | 'UPHOLD'
  | 'DISMISS';

export type RewardMove = FundingMove | SettlingMove;

/**
 * The signal that tells a purchase's workflow about each kind of move, named so that operators can
 * read its history. A signal has no payload: the workflow reads what is stored.
 */
export const purchaseSignals = {
  FUND: 'funded',
  CLAIM: 'claimed',
  EXPIRE: 'expired',
  REFUND: 'refunded',
  REDUCE: 'refunded',
  CANCEL: 'cancelled',
  REINSTATE: 'reinstated',
  CORRECT: 'corrected',
  MATURE: 'matured',
  UPHOLD: 'decided',
  DISMISS: 'decided',
} as const satisfies Partial<Record<RewardMove, string>>;
export type PurchaseSignal = (typeof purchaseSignals)[keyof typeof purchaseSignals];

export const initialState: RewardState = 'ACCEPTED';

/** How an unclaimed reward ends. */
const unclaimed = { EXPIRE: 'EXPIRED', REFUND: 'CANCELLED', CANCEL: 'CANCELLED' } as const;

/**
 * Where each move leads from each state. A move that leads to the state it was made from is recorded. REDUCE:
 * part of the order came back, and something remains. CORRECT: the contact was wrong, and the reward is another
 * customer's. MATURE: its hold is over, and the customer can claim it. A claimed reward belongs to the customer: only a refund, by way of a review, takes it back.
 */
export const rewardTable: Readonly<
  Record<RewardState, Readonly<Partial<Record<RewardMove, RewardState>>>>
> = {
  ACCEPTED: { FUND: 'FUNDED', RUN_SHORT: 'AWAITING_FUNDING', CORRECT: 'ACCEPTED', ...unclaimed },
  AWAITING_FUNDING: {
    FUND: 'FUNDED',
    REDUCE: 'AWAITING_FUNDING',
    CORRECT: 'AWAITING_FUNDING',
    MATURE: 'AWAITING_FUNDING',
    ...unclaimed,
  },
  FUNDED: {
    CLAIM: 'AVAILABLE',
    REDUCE: 'FUNDED',
    CORRECT: 'FUNDED',
    MATURE: 'FUNDED',
    ...unclaimed,
  },
  AVAILABLE: { REFUND: 'IN_REVIEW' },
  IN_REVIEW: {
    REFUND: 'IN_REVIEW',
    UPHOLD: 'CANCELLED',
    REDUCE: 'AVAILABLE',
    DISMISS: 'AVAILABLE',
  },
  EXPIRED: { REFUND: 'EXPIRED' },
  // Reinstated only after a refund of the unclaimed reward: see `isReinstatable`.
  CANCELLED: { REFUND: 'CANCELLED', REINSTATE: 'ACCEPTED' },
};

export const rewardStates = Object.keys(rewardTable) as RewardState[];

/** What the API, webhooks and pages call a state. */
export type RewardStatus =
  | 'PENDING'
  | 'AWAITING_FUNDING'
  | 'AVAILABLE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'ADMIN_REVIEW';

/** What the API, webhooks and pages call what the customer has to do with it. */
export type CustomerStatus = 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';

const statuses: Record<RewardState, [RewardStatus, CustomerStatus]> = {
  ACCEPTED: ['PENDING', 'AWAITING_CUSTOMER_CLAIM'],
  AWAITING_FUNDING: ['AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM'],
  FUNDED: ['PENDING', 'AWAITING_CUSTOMER_CLAIM'],
  AVAILABLE: ['AVAILABLE', 'CLAIMED'],
  IN_REVIEW: ['ADMIN_REVIEW', 'CLAIMED'],
  EXPIRED: ['EXPIRED', 'CLAIM_EXPIRED'],
  CANCELLED: ['CANCELLED', 'CANCELLED'],
};

export const statusOf = (state: RewardState): RewardStatus => statuses[state][0];

export const customerStatusOf = (state: RewardState): CustomerStatus => statuses[state][1];

export const rewardStatuses = [...new Set(rewardStates.map(statusOf))];

/** The states that have a status, for a filter by it. */
export const statesOf = (status: RewardStatus): RewardState[] =>
  rewardStates.filter((state) => statusOf(state) === status);

/** The states of a reward that its customer can still claim, or could once it is funded. */
export const unclaimedStates: readonly RewardState[] = ['ACCEPTED', 'AWAITING_FUNDING', 'FUNDED'];

/** The states of a claimed reward that has not been taken back. */
export const claimedStates: readonly RewardState[] = ['AVAILABLE', 'IN_REVIEW'];

/** Whether a reward has expired or was cancelled: its points are nobody's. */
export const isOver = ({ state }: Pick<Reward, 'state'>): boolean =>
  state === 'EXPIRED' || state === 'CANCELLED';

/** The points that the customer has or can still get for the order. */
export const pointsNow = ({ state, points }: Pick<Reward, 'state' | 'points'>): number =>
  isOver({ state }) ? 0 : points;

/** When a reward expired: at the end of its claim window, or earlier by the TEST clock. */
export function expiredAt({
  moves,
  claimExpiresAt,
}: Pick<Reward, 'moves' | 'claimExpiresAt'>): Date {
  const at = moves.findLast(({ move }) => move === 'EXPIRE')?.at;
  return at !== undefined && at < claimExpiresAt ? at : claimExpiresAt;
}

/** Whether the partner's money is reserved for it, or owed to its customer. */
export const isFunded = (state: RewardState): boolean =>
  state === 'FUNDED' || claimedStates.includes(state);

/**
 * Whether a reward can be reinstated: a refund cancelled it before it was claimed, and its claim window is
 * still open.
 */
export function isReinstatable(
  { state, moves, claimExpiresAt }: Pick<Reward, 'state' | 'moves' | 'claimExpiresAt'>,
  at: Date,
): boolean {
  if (state !== 'CANCELLED' || claimExpiresAt <= at) return false;
  const before = moves.findLastIndex((made) => made.state !== 'CANCELLED');
  return moves[before + 1]?.move === 'REFUND';
}

/** Whether a reward is on hold: its customer cannot claim it yet. */
export const isOnHold = (
  { state, claimableFrom }: Pick<Reward, 'state' | 'claimableFrom'>,
  at: Date,
): boolean => unclaimedStates.includes(state) && claimableFrom !== undefined && claimableFrom > at;

/** Whether the hold of a reward is over, which was funded during it, and nothing has said so yet. */
export function isMature(
  { state, claimableFrom, moves }: Pick<Reward, 'state' | 'claimableFrom' | 'moves'>,
  at: Date,
): boolean {
  if (state !== 'FUNDED' || claimableFrom === undefined || claimableFrom > at) return false;
  const last = moves.findLast(({ move }) => move === 'FUND' || move === 'MATURE');
  return last?.move === 'FUND' && last.at < claimableFrom;
}

/** When the claim window of a reward begins that could be claimed from this time on but for its hold. */
export const windowStart = ({ claimableFrom }: Pick<Reward, 'claimableFrom'>, at: Date): Date =>
  claimableFrom !== undefined && claimableFrom > at ? claimableFrom : at;

/** Whether the contact of a reward can be corrected: once, before it is claimed and within its claim window. */
export const isCorrectable = (
  reward: Pick<Reward, 'state' | 'correction' | 'claimExpiresAt'>,
  at: Date,
): boolean =>
  canMove(reward.state, 'CORRECT') && reward.correction === undefined && reward.claimExpiresAt > at;

/**
 * What a reward's ledger entries name it by: its id, with a number after it was reinstated, since it is
 * reserved anew.
 */
export function entryNameOf(reward: Pick<Reward, '_id' | 'moves'>): string {
  const times = timesReinstated(reward);
  return times === 0 ? reward._id : `${reward._id}:${times + 1}`;
}

export const timesReinstated = ({ moves }: Pick<Reward, 'moves'>): number =>
  moves.filter(({ move }) => move === 'REINSTATE').length;

/** A move that the table does not have: a bug in the caller, which never reaches the database. */
export class IllegalMoveError extends Error {
  override name = 'IllegalMoveError';
}

export const canMove = (from: RewardState, move: RewardMove): boolean =>
  rewardTable[from][move] !== undefined;

/** The state after a move. @throws IllegalMoveError if the table does not have it */
export function applyMove(from: RewardState, move: RewardMove): RewardState {
  const to = rewardTable[from][move];
  if (to === undefined) throw new IllegalMoveError(`${move} from ${from}`);
  return to;
}

/** What a reward waits for. */
export type WaitingFor = 'CUSTOMER' | 'FUNDS' | 'OPERATOR' | 'NOBODY';

const waitingOf: Record<RewardState, WaitingFor> = {
  ACCEPTED: 'CUSTOMER',
  AWAITING_FUNDING: 'FUNDS',
  FUNDED: 'CUSTOMER',
  IN_REVIEW: 'OPERATOR',
  AVAILABLE: 'NOBODY',
  EXPIRED: 'NOBODY',
  CANCELLED: 'NOBODY',
};

/** What a reward waits for. Its workflow stays open until that is NOBODY. */
export const waitingFor = (state: RewardState): WaitingFor => waitingOf[state];

/** The states in which a reward waits for something: its workflow stays open. */
export const openStates = rewardStates.filter((state) => waitingOf[state] !== 'NOBODY');

export type RefundStatus = 'CANCELLED' | 'REDUCED' | 'ADMIN_REVIEW' | 'NO_ACTION';

/**
 * The refund status in the response, from the reward's state after the refund (docs/concepts/rewards.md, Reward states).
 * @throws IllegalMoveError for a state that no refund leads to
 */
export function refundStatusOf(state: RewardState): RefundStatus {
  switch (state) {
    case 'CANCELLED':
      return 'CANCELLED';
    case 'IN_REVIEW':
      return 'ADMIN_REVIEW';
    case 'FUNDED':
    case 'AWAITING_FUNDING':
      return 'REDUCED';
    case 'EXPIRED':
      return 'NO_ACTION';
    case 'ACCEPTED':
    case 'AVAILABLE':
      throw new IllegalMoveError(`a refund cannot leave a reward ${state}`);
    default:
      return assertNever(state, 'reward state');
  }
}

/** Whether its workflow waits for the end of a hold. */
export const isHeldAt = (
  { state, claimableFrom }: Pick<RewardSnapshot, 'state' | 'claimableFrom'>,
  nowMs: number,
): boolean =>
  state === 'FUNDED' && claimableFrom !== undefined && Date.parse(claimableFrom) > nowMs;

/** Since when the customer can claim a funded reward, in milliseconds since the epoch. */
const openedMs = ({
  fundedAt,
  claimableFrom,
}: Pick<RewardSnapshot, 'fundedAt' | 'claimableFrom'>): number =>
  Math.max(Date.parse(fundedAt ?? ''), claimableFrom === undefined ? 0 : Date.parse(claimableFrom));

/**
 * Whether the customer is to be told of points on hold: once each time that they are funded or their contact is
 * corrected, and not days later.
 * @param toldOf ISO 8601, when the reward was funded or corrected that the customer was told of; absent if there is none
 */
export const isHoldNoticeDue = (
  reward: Pick<RewardSnapshot, 'state' | 'fundedAt' | 'claimableFrom'>,
  toldOf: string | undefined,
  nowMs: number,
): boolean =>
  isHeldAt(reward, nowMs) &&
  reward.fundedAt !== null &&
  reward.fundedAt !== toldOf &&
  nowMs - Date.parse(reward.fundedAt) <= mailPatienceMs;

/**
 * Whether the customer is to be sent the claim link: once per claim window, when the reward can be
 * claimed. If it could be claimed so long ago that sending would have been given up, the link was sent or
 * cannot be.
 * @param offeredUntil ISO 8601, the end of the claim window for which the link was sent, or is being
 *   sent; null if there is none
 */
export function isClaimLinkDue(
  reward: Pick<RewardSnapshot, 'state' | 'fundedAt' | 'claimExpiresAt' | 'claimableFrom'>,
  offeredUntil: string | null,
  nowMs: number,
): boolean {
  const { state, fundedAt, claimExpiresAt } = reward;
  if (state !== 'FUNDED' || fundedAt === null || claimExpiresAt === offeredUntil) return false;
  if (isHeldAt(reward, nowMs)) return false;
  return nowMs < Date.parse(claimExpiresAt) && nowMs - openedMs(reward) <= mailPatienceMs;
}

/** The state of a reward as the customer with its link sees it. */
export type ClaimPageState =
  | 'OPEN'
  | 'ON_HOLD'
  | 'AWAITING_FUNDING'
  | 'SUSPENDED'
  | 'CLAIMED'
  | 'IN_REVIEW'
  | 'EXPIRED'
  | 'CANCELLED';

/**
 * What a reward's state means to its customer (docs/concepts/rewards.md, Reward states). The window ends on
 * time, even before the workflow has expired the reward.
 * @param isSuspended whether the partner is suspended; what was claimed before stays claimed
 */
export function claimPageStateOf(
  reward: Pick<Reward, 'state' | 'claimExpiresAt' | 'claimableFrom'>,
  { isSuspended, nowMs }: { isSuspended: boolean; nowMs: number },
): ClaimPageState {
  const { state, claimExpiresAt } = reward;
  switch (state) {
    case 'AVAILABLE':
      return 'CLAIMED';
    case 'IN_REVIEW':
    case 'EXPIRED':
    case 'CANCELLED':
      return state;
    case 'ACCEPTED':
    case 'AWAITING_FUNDING':
    case 'FUNDED':
      if (claimExpiresAt.getTime() <= nowMs) return 'EXPIRED';
      if (isSuspended) return 'SUSPENDED';
      if (isOnHold(reward, new Date(nowMs))) return 'ON_HOLD';
      // A claim begins a purchase that has not begun.
      return state === 'AWAITING_FUNDING' ? state : 'OPEN';
    default:
      return assertNever(state, 'reward state');
  }
}

/** Whether the contact that was wrong is to be told so: once, and not days after it was given up. */
export const isCorrectionDue = (
  { correctedAt }: Pick<RewardSnapshot, 'correctedAt'>,
  isTold: boolean,
  nowMs: number,
): boolean =>
  Boolean(correctedAt) && !isTold && nowMs - Date.parse(correctedAt ?? '') <= mailPatienceMs;

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
  state,
  fundedAt,
  claimExpiresAt,
  claimableFrom,
}: Pick<RewardSnapshot, 'mode' | 'state' | 'fundedAt' | 'claimExpiresAt' | 'claimableFrom'>):
  | number
  | null {
  if (mode !== 'LIVE' || state !== 'FUNDED' || fundedAt === null) return null;
  const endMs = Date.parse(claimExpiresAt);
  const beganMs = openedMs({ fundedAt, ...(claimableFrom !== undefined && { claimableFrom }) });
  return endMs - beganMs < shortestWindowMs ? null : endMs - leadMs;
}
