/** The states of a reward and every move between them (docs/domain.md, Reward states). */

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

/** Whether the partner's money reaches the reward: decided by what the wallet holds, in order. */
export type FundingMove = 'FUND' | 'RUN_SHORT';

/** What the customer, the partner, an operator or the clock does to the reward. */
export type SettlingMove = 'CLAIM' | 'EXPIRE' | 'REFUND' | 'CANCEL' | 'UPHOLD' | 'DISMISS';

export type RewardMove = FundingMove | SettlingMove;

/** What a settling move does to the money behind the reward, and how the ledger calls it. */
export type Effect = 'RELEASE' | 'CLAIM' | 'CLAWBACK';

interface RowOf<Move> {
  from: RewardStatus;
  /** The funding the row asks for; without it, either. */
  funded?: boolean;
  on: Move;
  /** Null: the move is recorded and the reward stays as it is. */
  to: RewardState | null;
}
/** A reward is funded by a reservation; the move is made once that stands. */
type FundingRow = RowOf<FundingMove> & { effect?: never };
type SettlingRow = RowOf<SettlingMove> & { effect?: Effect };
type Row = FundingRow | SettlingRow;

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
  { from: 'PENDING', funded: false, on: 'FUND', to: fundedState },
  {
    from: 'PENDING',
    funded: false,
    on: 'RUN_SHORT',
    to: state('AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', false),
  },
  { from: 'AWAITING_FUNDING', on: 'FUND', to: fundedState },
  {
    from: 'PENDING',
    funded: true,
    on: 'CLAIM',
    to: state('AVAILABLE', 'CLAIMED', true),
    effect: 'CLAIM',
  },
  { from: 'PENDING', on: 'EXPIRE', to: expired, effect: 'RELEASE' },
  { from: 'AWAITING_FUNDING', on: 'EXPIRE', to: expired, effect: 'RELEASE' },
  { from: 'PENDING', on: 'REFUND', to: cancelled, effect: 'RELEASE' },
  { from: 'AWAITING_FUNDING', on: 'REFUND', to: cancelled, effect: 'RELEASE' },
  // A claimed reward is the customer's: it is taken back by a refund and its review alone.
  { from: 'PENDING', on: 'CANCEL', to: cancelled, effect: 'RELEASE' },
  { from: 'AWAITING_FUNDING', on: 'CANCEL', to: cancelled, effect: 'RELEASE' },
  { from: 'AVAILABLE', on: 'REFUND', to: state('ADMIN_REVIEW', 'CLAIMED', true) },
  { from: 'ADMIN_REVIEW', on: 'UPHOLD', to: cancelled, effect: 'CLAWBACK' },
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
export function effectOf(from: RewardState, move: SettlingMove): Effect | null {
  return findRow(from, move)?.effect ?? null;
}

/** A move that was made, and the state that it was made from. */
export interface UnfinishedMove<Made> {
  made: Made;
  from: RewardState;
}

/**
 * The moves of a reward whose effects are not done, in the order in which they were made.
 * @param carriedOut how many of them are done, from the first on
 */
export function unfinishedMoves<Made extends { move: RewardMove }>({
  moves,
  carriedOut,
}: {
  moves: readonly Made[];
  carriedOut: number;
}): UnfinishedMove<Made>[] {
  let state = initialState;
  const named = moves.map((made) => {
    const from = state;
    state = applyMove(from, made.move);
    return { made, from };
  });
  return named.slice(carriedOut);
}

function findRow(from: RewardState, move: RewardMove): Row | undefined {
  return rewardTable.find(
    (row) =>
      row.from === from.status &&
      row.on === move &&
      (row.funded === undefined || row.funded === from.funded),
  );
}

/** Whom a reward waits for. */
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

/** Of rewards that their customer claimed and nobody took back. */
export const claimedStatuses: readonly RewardStatus[] = ['AVAILABLE', 'ADMIN_REVIEW'];

/** In which somebody is waited for: these are what is open. */
export const openStatuses = rewardStatuses.filter((status) => waitingOf[status] !== 'NOBODY');

/** While it is for anybody, the reward's workflow stays open. */
export function waitingFor({ status }: RewardState): WaitingFor {
  return waitingOf[status];
}

export type RefundStatus = 'CANCELLED' | 'ADMIN_REVIEW' | 'NO_ACTION';

/**
 * What a refund answers, given the reward's status after it (docs/domain.md, Reward states).
 * @throws IllegalMoveError for a state in which no refund can leave a reward
 */
export function refundStatusOf(status: RewardStatus): RefundStatus {
  if (status === 'CANCELLED' || status === 'ADMIN_REVIEW') return status;
  if (status === 'EXPIRED') return 'NO_ACTION';
  throw new IllegalMoveError(`a refund cannot leave a reward ${status}`);
}
