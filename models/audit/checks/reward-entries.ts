import type { Mode } from '../../../domain/mode.ts';
import {
  type Accounts,
  accountsOf,
  type BalanceOf,
  claim,
  type Obligation,
  type Posting,
  release,
  reserve,
  uphold,
  walletOf,
} from '../../../domain/postings.ts';
import type { EntryDoc } from '../../schemas/entries.ts';
import type { RewardDoc } from '../../schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

type Expected = (
  accounts: Accounts,
  reward: Obligation,
  balanceOf: BalanceOf,
) => { kind: string; postings: Posting[] };

/** The expected postings of a reward's entries, by the prefix of their reference. */
const expectations: Record<string, Expected> = {
  reserve: (accounts, reward) => ({ kind: 'RESERVE', postings: reserve(accounts, reward) }),
  release: (accounts, reward) => ({ kind: 'RELEASE', postings: release(accounts, reward) }),
  claim: (accounts, reward) => ({ kind: 'CLAIM', postings: claim(accounts, reward) }),
  clawback: uphold,
};

/**
 * Every entry about a reward names an existing one, and moves its worth between the right accounts.
 */
export const rewardEntries = (chainName: string, mode: Mode): DocCheck<EntryDoc> => ({
  name: `${chainName}: reward entries move what the reward is worth`,
  async problemsOf({ models }, partnerId, entries) {
    const rewardOf = await findRewards();
    return entries.flatMap((doc) => {
      const problem = problemOf(doc, rewardOf.get(idIn(doc) ?? ''), mode);
      return problem === undefined
        ? []
        : [{ doc, text: `${doc._id} (${doc.reference}): ${problem}` }];
    });

    async function findRewards(): Promise<Map<string, RewardDoc>> {
      const ids = entries.flatMap((entry) => idIn(entry) ?? []);
      const rewards = await models.rewards.find({ partnerId, _id: { $in: ids } });
      return new Map(rewards.map((reward) => [reward._id, reward]));
    }
  },
});

const wordOf = ({ reference }: EntryDoc): string => reference.split(':')[0] ?? '';

/**
 * The id of the reward that an entry is about, from its field or reference; null if there is none.
 */
function idIn(entry: EntryDoc): string | null {
  if (entry.rewardId !== null) return entry.rewardId;
  const word = wordOf(entry);
  return Object.hasOwn(expectations, word) ? entry.reference.slice(word.length + 1) : null;
}

function problemOf(entry: EntryDoc, reward: RewardDoc | undefined, mode: Mode): string | undefined {
  const rewardId = idIn(entry);
  if (rewardId === null) return undefined;
  const word = wordOf(entry);
  const expected = Object.hasOwn(expectations, word) ? expectations[word] : undefined;
  const lives = 1 + (reward?.moves.filter(({ move }) => move === 'REINSTATE').length ?? 0);
  const names = Array.from({ length: lives }, (_, n) => (n === 0 ? '' : `:${n + 1}`));
  const isNamed = names.some((name) => entry.reference === `${word}:${rewardId}${name}`);
  if (!expected || !isNamed || entry.rewardId === null) {
    return `no move of reward ${rewardId} is written under this reference`;
  }
  if (!reward) return `reward ${rewardId} does not exist`;
  if (reward.mode !== mode) return `reward ${rewardId} is ${reward.mode}`;
  if (reward.walletId !== entry.walletId)
    return `reward ${rewardId} is funded by ${reward.walletId}`;
  const balanceBefore: BalanceOf = (account) => {
    const posting = entry.postings.find((one) => one.account === account);
    return posting ? posting.balanceAfter - posting.amount : 0;
  };
  const accounts = accountsOf(walletOf(reward));
  const { kind, postings } = expected(accounts, reward, balanceBefore);
  if (entry.kind !== kind) return `it is ${entry.kind}, and should be ${kind}`;
  if (spelled(entry.postings) !== spelled(postings)) {
    return `it moves ${spelled(entry.postings)}; for reward ${rewardId}, it should move ${spelled(postings)}`;
  }
  return undefined;
}
