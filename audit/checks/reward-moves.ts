import { references } from '../../domain/facts.ts';
import { accounts, claimPostings, reservationPostings } from '../../domain/postings.ts';
import { refundedByMoves } from '../../domain/refunds.ts';
import {
  applyMove,
  IllegalMoveError,
  initialState,
  type RewardMove,
  type RewardState,
} from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';
import { type Life, livesOf } from './lives.ts';

const words = ['reserve', 'claim', 'release', 'clawback'] as const;
type Word = (typeof words)[number];
/** How many entries of each kind a reward has in the ledger. */
type Written = Record<Word, number>;

/**
 * A reward's ledger entries match its moves: reserved once, then paid out or released once, after a
 * payout taken back at most once, and reduced as often as part of its order came back; and that again
 * after it was reinstated.
 */
export const rewardMoves: DocCheck<RewardDoc> = {
  name: 'rewards: the entries of each match its moves',
  async problemsOf({ models }, partnerId, rewards) {
    const written = { partnerId, rewardId: { $in: rewards.map(({ _id }) => _id) } };
    const found = await models.ledger.find(written, { reference: 1 });
    const counts = new Map<string, number>();
    for (const { reference } of found) counts.set(reference, (counts.get(reference) ?? 0) + 1);
    return rewards.flatMap((doc) => {
      const problem = problemOf(doc, (reference) => counts.get(reference) ?? 0);
      if (problem === undefined) return [];
      return [{ doc, text: `reward ${doc._id}, partner ${partnerId}, ${doc.state}: ${problem}` }];
    });
  },
};

/** How many entries there are under a reference. */
type CountOf = (reference: string) => number;

function problemOf(reward: RewardDoc, countOf: CountOf): string | undefined {
  const reached = stateAfter(reward.moves.map(({ move }) => move));
  if (reached !== reward.state) return `its moves lead to ${reached ?? 'no state'}`;
  for (const life of livesOf(reward)) {
    const problem = problemOfLife(reward, life, countOf);
    if (problem !== undefined) return problem;
  }
  return holdProblem(reward) ?? refundProblem(reward);
}

/** Nobody claimed the reward while it was on hold, and its hold ended at most once, when it says. */
function holdProblem({ moves, claimableFrom }: RewardDoc): string | undefined {
  const ends = moves.filter(({ move }) => move === 'MATURE');
  if (claimableFrom === undefined) return ends.length > 0 ? 'it had no hold to end' : undefined;
  if (ends.length > 1) return 'its hold ended twice';
  if (ends.some(({ at }) => at < claimableFrom)) return 'its hold ended before it could';
  const early = moves.find(({ move, at }) => move === 'CLAIM' && at < claimableFrom);
  return early && 'it was claimed while it was on hold';
}

function problemOfLife(
  reward: RewardDoc,
  { suffix, start, moves }: Life,
  countOf: CountOf,
): string | undefined {
  const lived = { ...reward, moves, state: moves.at(-1)?.state ?? reward.state };
  const written = Object.fromEntries(
    words.map((word) => [word, countOf(`${word}:${reward._id}${suffix}`)]),
  ) as Written;
  const twice = words.find((word) => written[word] > 1);
  if (twice) return `${twice} is written twice`;
  const should = expected(lived, written);
  const wrong = words.find((word) => should[word] !== written[word] > 0);
  if (wrong) return should[wrong] ? `${wrong} is missing` : `${wrong} should not be there`;
  return reductionProblem(lived, start, countOf);
}

function expected(reward: RewardDoc, written: Written): Record<Word, boolean> {
  const { state, moves } = reward;
  const did = (...names: RewardMove[]) => moves.some(({ move }) => names.includes(move));
  const wasFunded = did('FUND');
  const wasClaimed = did('CLAIM');
  const isOver = state === 'CANCELLED' || state === 'EXPIRED';
  const isOwed = claimPostings(reward).length > 0;
  return {
    reserve: wasFunded && reservationPostings(accounts.funding, reward).length > 0,
    claim: wasClaimed && isOwed,
    release: isOver && !wasClaimed && written.reserve > 0,
    clawback: did('UPHOLD') && isOwed,
  };
}

/** Every move that took money or points from the reward has its entry. @param start the index of its first move */
function reductionProblem(
  { _id, moves }: RewardDoc,
  start: number,
  countOf: CountOf,
): string | undefined {
  for (const [index, { move, lost, state, reviewId }] of moves.entries()) {
    const place = start + index + 1;
    const isWaiting = state === 'AWAITING_FUNDING';
    const moved = (lost?.liabilityCents ?? 0) + (reviewId ? (lost?.points ?? 0) : 0);
    const should = move === 'REDUCE' && !isWaiting && moved > 0 ? 1 : 0;
    const found = countOf(references.reduction(_id, place));
    if (found > 1) return `reduce is written twice for move ${place}`;
    if (found < should) return `reduce is missing for move ${place}`;
    if (found > should) return `reduce should not be there for move ${place}`;
  }
  return undefined;
}

/** What came back of the order is the sum of its refunds, without dismissed ones, and at most all of it. */
function refundProblem({
  moves,
  refundedCents,
  arithmetic,
  points,
}: RewardDoc): string | undefined {
  const { cents, takenCents } = refundedByMoves(moves);
  const { subtotalCents } = arithmetic;
  if (cents !== refundedCents) return `its refunds are ${cents}, and not ${refundedCents}`;
  if (cents > subtotalCents) return `its refunds are ${cents} of ${subtotalCents}`;
  if (takenCents !== arithmetic.refundedCents) {
    return `its points are without ${arithmetic.refundedCents}, and not ${takenCents}`;
  }
  return points === arithmetic.points
    ? undefined
    : `it has ${points} points, and its arithmetic ${arithmetic.points}`;
}

function stateAfter(moves: readonly RewardMove[]): RewardState | undefined {
  try {
    return moves.reduce<RewardState>(applyMove, initialState);
  } catch (error) {
    if (error instanceof IllegalMoveError) return undefined;
    throw error;
  }
}
