/** The states of a reward and every move between them (domain, Reward states). */

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
  /** Whether the partner's money stands behind it. */
  funded: boolean;
}

export type RewardMove =
  | 'FUND'
  | 'RUN_SHORT'
  | 'TOP_UP'
  | 'CLAIM'
  | 'EXPIRE'
  | 'REFUND'
  | 'UPHOLD'
  | 'DISMISS';

/** What a move does to the money behind the reward (domain, Accounting). */
export type Effect = 'RESERVE' | 'RELEASE' | 'PAY_OUT' | 'CLAW_BACK';

interface Row {
  from: RewardStatus;
  /** The funding the row asks for; without it, either. */
  funded?: boolean;
  on: RewardMove;
  /** Null: the move is recorded and the reward stays as it is. */
  to: RewardState | null;
  effect?: Effect;
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
const fundedState = state('PENDING', 'AWAITING_CUSTOMER_CLAIM', true);
const expired = state('EXPIRED', 'CLAIM_EXPIRED', false);
const cancelled = state('CANCELLED', 'CANCELLED', false);

export const rewardTable: readonly Row[] = [
  { from: 'PENDING', funded: false, on: 'FUND', to: fundedState, effect: 'RESERVE' },
  {
    from: 'PENDING',
    funded: false,
    on: 'RUN_SHORT',
    to: state('AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', false),
  },
  { from: 'AWAITING_FUNDING', on: 'TOP_UP', to: fundedState, effect: 'RESERVE' },
  {
    from: 'PENDING',
    funded: true,
    on: 'CLAIM',
    to: state('AVAILABLE', 'CLAIMED', true),
    effect: 'PAY_OUT',
  },
  { from: 'PENDING', on: 'EXPIRE', to: expired, effect: 'RELEASE' },
  { from: 'AWAITING_FUNDING', on: 'EXPIRE', to: expired, effect: 'RELEASE' },
  { from: 'PENDING', on: 'REFUND', to: cancelled, effect: 'RELEASE' },
  { from: 'AWAITING_FUNDING', on: 'REFUND', to: cancelled, effect: 'RELEASE' },
  { from: 'AVAILABLE', on: 'REFUND', to: state('ADMIN_REVIEW', 'CLAIMED', true) },
  { from: 'ADMIN_REVIEW', on: 'UPHOLD', to: cancelled, effect: 'CLAW_BACK' },
  { from: 'ADMIN_REVIEW', on: 'DISMISS', to: state('AVAILABLE', 'CLAIMED', true) },
  { from: 'CANCELLED', on: 'REFUND', to: null },
  { from: 'EXPIRED', on: 'REFUND', to: null },
  { from: 'ADMIN_REVIEW', on: 'REFUND', to: null },
];

/** A move the table does not have. It is a fault in the caller and never reaches the database. */
export class IllegalMoveError extends Error {
  override name = 'IllegalMoveError';
}

/** Whether the table has this move from this state. */
export function canMove(from: RewardState, move: RewardMove): boolean {
  return findRow(from, move) !== undefined;
}

/**
 * The state after a move.
 * @throws IllegalMoveError when the table does not have it
 */
export function applyMove(from: RewardState, move: RewardMove): RewardState {
  const row = findRow(from, move);
  if (!row) {
    throw new IllegalMoveError(`${move} from ${from.status}${from.funded ? ' (funded)' : ''}`);
  }
  return row.to ?? from;
}

/** What the move does to the money; null where no balance moves. */
export function effectOf(from: RewardState, move: RewardMove): Effect | null {
  return findRow(from, move)?.effect ?? null;
}

function findRow(from: RewardState, move: RewardMove): Row | undefined {
  return rewardTable.find(
    (row) =>
      row.from === from.status &&
      row.on === move &&
      (row.funded === undefined || row.funded === from.funded),
  );
}

/** Whether the reward still waits for somebody: while it does, its workflow stays open. */
export function isOpen({ status }: RewardState): boolean {
  return status === 'PENDING' || status === 'AWAITING_FUNDING' || status === 'ADMIN_REVIEW';
}

/** Whether the reward's claim window is running. */
export function isAwaitingClaim({ status }: RewardState): boolean {
  return status === 'PENDING' || status === 'AWAITING_FUNDING';
}

export type RefundStatus = 'CANCELLED' | 'ADMIN_REVIEW' | 'NO_ACTION';

/**
 * What a refund answers, given the reward after it (domain, Reward states).
 * @throws IllegalMoveError for a state in which no refund can leave a reward
 */
export function refundStatusOf({ status }: RewardState): RefundStatus {
  if (status === 'CANCELLED' || status === 'ADMIN_REVIEW') return status;
  if (status === 'EXPIRED') return 'NO_ACTION';
  throw new IllegalMoveError(`a refund cannot leave a reward ${status}`);
}
