import { accountsOf, claim, reserve, walletOf } from '../../../domain/postings.ts';
import {
  applyMove,
  IllegalMoveError,
  initialState,
  type RewardMove,
  type RewardState,
} from '../../../domain/reward.ts';
import { ledgerOf } from '../../ledger/index.ts';
import type { RewardDoc } from '../../schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';

const words = ['reserve', 'claim', 'release', 'clawback'] as const;
type Word = (typeof words)[number];
/** How many entries of each kind a reward has in the ledger. */
type Written = Record<Word, number>;

/**
 * A reward's ledger entries match its moves: reserved once, then paid out or released once, and
 * after a payout taken back at most once; and that again after it was reinstated.
 */
export const rewardMoves: DocCheck<RewardDoc> = {
  name: 'rewards: the entries of each match its moves',
  async problemsOf({ models }, partnerId, rewards) {
    const found = await Promise.all(
      (['LIVE', 'TEST'] as const).map(async (mode) => {
        const ids = rewards.filter((reward) => reward.mode === mode).map(({ _id }) => _id);
        if (ids.length === 0) return [];
        const written = { partnerId, rewardId: { $in: ids } };
        return await ledgerOf(models, mode).find(written, { reference: 1 });
      }),
    );
    const counts = new Map<string, number>();
    for (const { reference } of found.flat()) {
      counts.set(reference, (counts.get(reference) ?? 0) + 1);
    }
    return rewards.flatMap((doc) => {
      const problem = problemOf(doc, (word, name) => counts.get(`${word}:${doc._id}${name}`) ?? 0);
      if (problem === undefined) return [];
      return [{ doc, text: `reward ${doc._id}, partner ${partnerId}, ${doc.status}: ${problem}` }];
    });
  },
};

function problemOf(
  reward: RewardDoc,
  countOf: (word: Word, name: string) => number,
): string | undefined {
  const reached = stateAfter(reward.moves.map(({ move }) => move));
  if (reached?.status !== reward.status || reached.funded !== reward.funded) {
    const led = reached ? `${reached.status}, funded ${reached.funded}` : 'no state';
    return `its moves lead to ${led}`;
  }
  for (const [place, life] of livesOf(reward).entries()) {
    const name = place === 0 ? '' : `:${place + 1}`;
    const problem = problemOfLife(life, (word) => countOf(word, name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The reward from its purchase, and from each time that it was reinstated, to the next. */
function livesOf(reward: RewardDoc): RewardDoc[] {
  const lives: RewardDoc[] = [];
  for (const made of reward.moves) {
    const last = lives.at(-1);
    if (last === undefined || made.move === 'REINSTATE') {
      lives.push({ ...reward, moves: [made], status: made.status });
    } else lives[lives.length - 1] = { ...last, moves: [...last.moves, made], status: made.status };
  }
  return lives.length === 0 ? [reward] : lives;
}

function problemOfLife(reward: RewardDoc, countOf: (word: Word) => number): string | undefined {
  const written = Object.fromEntries(words.map((word) => [word, countOf(word)])) as Written;
  const twice = words.find((word) => written[word] > 1);
  if (twice) return `${twice} is written twice`;
  const should = expected(reward, written);
  const wrong = words.find((word) => should[word] !== written[word] > 0);
  if (wrong === undefined) return undefined;
  return should[wrong] ? `${wrong} is missing` : `${wrong} should not be there`;
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
    reserve: wasFunded && reserve(accounts, reward).length > 0 && !isMoneyless,
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
