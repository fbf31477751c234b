import { accountsOf, claim, reserve, walletOf } from '../../../domain/postings.ts';
import {
  applyMove,
  IllegalMoveError,
  initialState,
  type RewardMove,
  type RewardState,
} from '../../../domain/reward.ts';
import { voidKind } from '../../ledger/index.ts';
import type { RewardDoc } from '../../schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';
import { notCarriedOutSince } from './not-carried-out.ts';

const words = ['reserve', 'claim', 'release', 'clawback'] as const;
type Word = (typeof words)[number];
/** How many entries of each kind a reward has in the ledger. */
type Written = Record<Word, number>;

/**
 * A reward's ledger entries match its moves: reserved once, then paid out or released once, and
 * after a payout taken back at most once. While moves are pending, some may be missing.
 */
export const rewardMoves: DocCheck<RewardDoc> = {
  name: 'rewards: the entries of each match its moves',
  async problemsOf({ ledger }, partnerId, rewards) {
    const found = await Promise.all(
      (['LIVE', 'TEST'] as const).map(async (mode) => {
        const ids = rewards.filter((reward) => reward.mode === mode).map(({ _id }) => _id);
        const references = ids.flatMap((id) => words.map((word) => `${word}:${id}`));
        if (references.length === 0) return [];
        return await ledger.of(mode).model.find(
          // A void entry is not a reservation.
          { partnerId, reference: { $in: references }, kind: { $ne: voidKind } },
          { reference: 1 },
        );
      }),
    );
    const counts = new Map<string, number>();
    for (const { reference } of found.flat()) {
      counts.set(reference, (counts.get(reference) ?? 0) + 1);
    }
    return rewards.flatMap((doc) => {
      const problem = problemOf(doc, (word) => counts.get(`${word}:${doc._id}`) ?? 0);
      if (problem === undefined) return [];
      const { text, isMissing } = problem;
      return [
        {
          doc,
          text: `reward ${doc._id}, partner ${partnerId}, ${doc.status}: ${text}`,
          ...(isMissing && { waitingSince: notCarriedOutSince(doc) }),
        },
      ];
    });
  },
};

function problemOf(
  reward: RewardDoc,
  countOf: (word: Word) => number,
): { text: string; isMissing: boolean } | undefined {
  const wrongly = (text: string) => ({ text, isMissing: false });
  const reached = stateAfter(reward.moves.map(({ move }) => move));
  if (reached?.status !== reward.status || reached.funded !== reward.funded) {
    const led = reached ? `${reached.status}, funded ${reached.funded}` : 'no state';
    return wrongly(`its moves lead to ${led}`);
  }
  const written = Object.fromEntries(words.map((word) => [word, countOf(word)])) as Written;
  const twice = words.find((word) => written[word] > 1);
  if (twice) return wrongly(`${twice} is written twice`);
  const should = expected(reward, written);
  const wrong = words.find((word) => should[word] !== written[word] > 0);
  if (wrong === undefined) return undefined;
  return should[wrong]
    ? { text: `${wrong} is missing`, isMissing: true }
    : wrongly(`${wrong} should not be there`);
}

function expected(reward: RewardDoc, written: Written): Record<Word, boolean> {
  const { mode, status, moves } = reward;
  const accounts = accountsOf(walletOf(reward));
  const did = (...names: RewardMove[]) => moves.some(({ move }) => names.includes(move));
  const wasFunded = did('FUND');
  const wasClaimed = did('CLAIM');
  const isOver = status === 'CANCELLED' || status === 'EXPIRED';
  // Rewards of an integration without test funding have no money.
  const isMoneyless = mode === 'TEST' && written.reserve === 0;
  const isOwed = claim(accounts, reward).length > 0 && !isMoneyless;
  return {
    reserve:
      // A reward that ended while it was being funded keeps its reservation and its release.
      !wasFunded && isOver
        ? written.reserve > 0
        : wasFunded && reserve(accounts, reward).length > 0 && !isMoneyless,
    claim: wasClaimed && isOwed,
    release: isOver && !wasClaimed && written.reserve > 0,
    clawback: did('UPHOLD') && isOwed,
  };
}

function stateAfter(moves: readonly RewardMove[]): RewardState | undefined {
  try {
    return moves.reduce<RewardState>(applyMove, initialState);
  } catch (error) {
    if (error instanceof IllegalMoveError) return undefined;
    throw error;
  }
}
