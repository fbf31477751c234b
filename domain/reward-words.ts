import { assertNever } from './assert-never.ts';
import { moneyText } from './money.ts';
import { pointsWords } from './numbers.ts';
import {
  initialState,
  type MadeMove,
  type Reward,
  type RewardState,
  type RewardStatus,
  statusOf,
} from './reward.ts';

/** What happened to a reward, as sentences: for the shop and for operators, from the facts of each move. */

/** The status of a reward as people say it; the API's words stay in the API. */
export const statusWords: Readonly<Record<RewardStatus, string>> = {
  PENDING: 'To claim',
  AVAILABLE: 'Claimed',
  AWAITING_FUNDING: 'Waiting for funds',
  ADMIN_REVIEW: 'In review',
  EXPIRED: 'Expired',
  CANCELLED: 'Cancelled',
};

export const stateWords = (state: RewardState): string => statusWords[statusOf(state)];

/** What the sentence about a move depends on, besides the move. */
export interface MoveContext {
  /** The state before the move. */
  before: RewardState;
  currency: string;
  /** When the reward's hold ends or ended; absent if it never had one. */
  claimableFrom?: Date;
}

/** A sentence, without its full stop, that says what a move did. */
export function moveSentence(
  made: MadeMove,
  { before, currency, claimableFrom }: MoveContext,
): string {
  const { amountCents, lost, reviewId } = made;
  const cameBack =
    amountCents === undefined
      ? 'The order came back'
      : `${moneyText(amountCents, currency)} of the order came back`;
  switch (made.move) {
    case 'FUND':
      return claimableFrom !== undefined && made.at < claimableFrom
        ? 'The funds cover the reward: the customer can claim it once its hold is over'
        : 'The funds cover the reward: the customer can claim it';
    case 'RUN_SHORT':
      return 'The reward waits for funds: they do not cover it, or an order before it waits for them';
    case 'CLAIM':
      return 'The customer claimed the reward';
    case 'EXPIRE':
      return 'The reward was not claimed in time and expired';
    case 'REFUND':
      return `${cameBack}: ${refundDid(made.state, before)}`;
    case 'REDUCE': {
      const points = lost?.points ?? 0;
      if (reviewId === undefined) {
        return `${cameBack}: ${points === 0 ? 'the points stay the same' : `the reward has ${pointsWords(points, 'fewer ')}`}`;
      }
      return points === 0
        ? `${decider(made)} upheld the refund: the points stay the same`
        : `${decider(made)} upheld the refund of a part: ${pointsWords(points)} ${points === 1 ? 'is' : 'are'} taken back, and the customer keeps the rest`;
    }
    case 'CANCEL':
      return 'An operator cancelled the reward';
    case 'REINSTATE':
      return 'An operator reinstated the reward: its refund was a mistake';
    case 'CORRECT':
      return 'The contact was corrected: the reward has a new customer and a new claim window';
    case 'MATURE':
      return made.state === 'FUNDED'
        ? 'The hold is over: the customer can claim the reward'
        : 'The hold is over: the customer can claim the reward once it is funded';
    case 'UPHOLD':
      return `${decider(made)} upheld the refund: the reward is cancelled, and its points are taken back`;
    case 'DISMISS':
      return 'An operator dismissed the refund: the customer keeps the points';
    default:
      return assertNever(made.move, 'move');
  }
}

const decider = ({ policyId }: MadeMove): string =>
  policyId === undefined ? 'An operator' : 'The refund policy';

function refundDid(state: RewardState, before: RewardState): string {
  if (before === 'IN_REVIEW') return 'the open review is about it, too';
  if (state === 'IN_REVIEW') {
    return 'the customer had claimed the points, so a review decides whether any are taken back';
  }
  if (before === 'EXPIRED') return 'the reward had expired, so nothing changes';
  if (before === 'CANCELLED') return 'the reward was cancelled already, so nothing changes';
  return 'no points remain, so the reward is cancelled';
}

/** Each move of a reward with the state before it, oldest first. */
export const movesWithStates = (
  moves: readonly MadeMove[],
): { made: MadeMove; before: RewardState }[] =>
  moves.map((made, place) => ({ made, before: moves[place - 1]?.state ?? initialState }));

/** What happened to a refund. */
export type RefundOutcome =
  /** No points remained of an unclaimed reward. */
  | 'CANCELLED'
  /** An unclaimed reward has fewer points. */
  | 'REDUCED'
  /** So little came back that the points stay the same. */
  | 'UNCHANGED'
  /** The reward was over. */
  | 'NO_ACTION'
  | 'IN_REVIEW'
  | 'UPHELD'
  | 'DISMISSED'
  /** It was a mistake: the reward was reinstated. */
  | 'TAKEN_BACK';

/** What happened to each refund of a reward, by the id of its event. */
export function refundOutcomes(moves: readonly MadeMove[]): ReadonlyMap<string, RefundOutcome> {
  const outcomes = new Map<string, RefundOutcome>();
  const settle = (from: readonly RefundOutcome[], to: RefundOutcome): void => {
    for (const [id, outcome] of outcomes) if (from.includes(outcome)) outcomes.set(id, to);
  };
  for (const { made, before } of movesWithStates(moves)) {
    const { move, refundEventId, reviewId } = made;
    if (refundEventId !== undefined) outcomes.set(refundEventId, outcomeAtOnce(made, before));
    else if (move === 'UPHOLD') settle(['IN_REVIEW'], 'UPHELD');
    else if (move === 'REDUCE' && reviewId !== undefined) {
      settle(['IN_REVIEW'], tookPoints(made) ? 'UPHELD' : 'UNCHANGED');
    } else if (move === 'DISMISS') settle(['IN_REVIEW'], 'DISMISSED');
    else if (move === 'REINSTATE') settle(['CANCELLED', 'NO_ACTION'], 'TAKEN_BACK');
  }
  return outcomes;
}

const tookPoints = ({ lost }: MadeMove): boolean => (lost?.points ?? 0) > 0;

function outcomeAtOnce(made: MadeMove, before: RewardState): RefundOutcome {
  const { move, state } = made;
  if (move === 'REDUCE') return tookPoints(made) ? 'REDUCED' : 'UNCHANGED';
  if (state === 'IN_REVIEW') return 'IN_REVIEW';
  return before === 'EXPIRED' || before === 'CANCELLED' ? 'NO_ACTION' : 'CANCELLED';
}

/**
 * The points that each refund of a reward took, by the id of its event; null while its review is open, and for
 * those of one review, which are decided together.
 */
export function pointsTaken({
  moves,
  points,
}: Pick<Reward, 'moves' | 'points'>): ReadonlyMap<string, number | null> {
  const taken = new Map<string, number | null>();
  let reviewed: string[] = [];
  for (const [id, outcome] of refundOutcomes(moves)) {
    const isReviewed = outcome === 'IN_REVIEW' || outcome === 'UPHELD';
    taken.set(id, outcome === 'CANCELLED' ? points : isReviewed ? null : 0);
  }
  for (const { move, refundEventId, reviewId, state, lost } of moves) {
    if (refundEventId !== undefined) {
      if (move === 'REDUCE') taken.set(refundEventId, lost?.points ?? 0);
      if (state === 'IN_REVIEW') reviewed.push(refundEventId);
    } else if (reviewId !== undefined) {
      const [only, ...others] = reviewed;
      reviewed = [];
      if (only === undefined || others.length > 0) continue;
      if (move === 'UPHOLD') taken.set(only, points);
      if (move === 'REDUCE') taken.set(only, lost?.points ?? 0);
    }
  }
  return taken;
}

/** What is decided by the open review of a reward. */
export interface AtReview {
  /** Those of the reward. */
  points: number;
  /** Those that would be taken back. */
  underReview: number;
}

/** How many of a reward's points its open review is about. */
export const atReview = ({
  points,
  afterReview,
}: Pick<Reward, 'points' | 'afterReview'>): AtReview => ({
  points,
  underReview: points - (afterReview?.points ?? 0),
});
