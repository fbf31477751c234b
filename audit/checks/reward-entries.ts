import { references } from '../../domain/facts.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type BalanceOf,
  claimPostings,
  type Obligation,
  type Payer,
  type Posting,
  payerOf,
  releasePostings,
  reservationPostings,
  uphold,
} from '../../domain/postings.ts';
import { worthBefore } from '../../domain/refunds.ts';
import type { RewardMove } from '../../domain/reward.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';
import { livesOf } from './lives.ts';
import { spelled } from './spelled.ts';

type Expected = (
  payer: Payer,
  reward: Obligation,
  balanceOf: BalanceOf,
) => { kind: string; postings: Posting[] };

const released: Expected = (payer, reward) => ({
  kind: 'RELEASE',
  postings: releasePostings(payer, reward),
});

/** The moves behind a reward's entries and their expected postings, by the prefix of their reference. */
const expectations: Record<string, { moves: readonly RewardMove[]; expected: Expected }> = {
  reserve: {
    moves: ['FUND'],
    expected: (payer, reward) => ({
      kind: 'RESERVE',
      postings: reservationPostings(payer, reward),
    }),
  },
  release: { moves: ['EXPIRE', 'CANCEL', 'REFUND'], expected: released },
  claim: {
    moves: ['CLAIM'],
    expected: (_payer, reward) => ({ kind: 'CLAIM', postings: claimPostings(reward) }),
  },
  clawback: { moves: ['UPHOLD'], expected: uphold },
};

/** The prefix of what a reward loses, followed by its id and the number of the move. */
const reduction = /^reduce:(.+):(\d+)$/;

/** What an entry moves of a reward, and how; undefined if no move is written under its reference. */
function expectationOf(entry: EntryDoc, reward: RewardDoc) {
  const { _id: rewardId, moves, customerId } = reward;
  const place = Number(reduction.exec(entry.reference)?.[2] ?? Number.NaN);
  if (entry.reference === references.reduction(rewardId, place)) {
    const { move, lost, reviewId } = moves[place - 1] ?? {};
    if (move !== 'REDUCE' || lost === undefined) return undefined;
    const worth = { ...lost, customerId };
    const payer = payerOf({ moves: moves.slice(0, place) });
    return { worth, payer, expected: reviewId === undefined ? released : uphold };
  }
  const word = wordOf(entry);
  const known = Object.hasOwn(expectations, word) ? expectations[word] : undefined;
  const life = livesOf(reward).find(
    ({ suffix }) => entry.reference === `${word}:${rewardId}${suffix}`,
  );
  if (!known || life === undefined) return undefined;
  // Without the move, which another check finds, it is what the reward is worth now.
  const made = life.moves.findIndex(({ move }) => known.moves.includes(move)) + 1;
  const worth = made === 0 ? reward : worthBefore(reward, life.start + made);
  const payer = payerOf(life);
  return { worth: { ...worth, customerId }, payer, expected: known.expected };
}

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
  const [, reduced] = reduction.exec(entry.reference) ?? [];
  if (reduced !== undefined) return reduced;
  const word = wordOf(entry);
  return Object.hasOwn(expectations, word) ? entry.reference.slice(word.length + 1) : null;
}

/** Whether a reference is one of a reward's, by its form. */
const isReference = (entry: EntryDoc, rewardId: string): boolean =>
  entry.rewardId !== null &&
  (reduction.test(entry.reference) ||
    (Object.hasOwn(expectations, wordOf(entry)) &&
      entry.reference === `${wordOf(entry)}:${rewardId}`));

function problemOf(entry: EntryDoc, reward: RewardDoc | undefined, mode: Mode): string | undefined {
  const rewardId = idIn(entry);
  if (rewardId === null) return undefined;
  const expectation = reward && expectationOf(entry, reward);
  if (!reward && isReference(entry, rewardId)) return `reward ${rewardId} does not exist`;
  if (!reward || !expectation || entry.rewardId === null) {
    return `no move of reward ${rewardId} is written under this reference`;
  }
  if (reward.mode !== mode) return `reward ${rewardId} is ${reward.mode}`;
  const balanceBefore: BalanceOf = (account) => {
    const posting = entry.postings.find((one) => one.account === account);
    return posting ? posting.balanceAfter - posting.amount : 0;
  };
  const { worth, payer, expected } = expectation;
  const { kind, postings } = expected(payer, worth, balanceBefore);
  if (entry.kind !== kind) return `it is ${entry.kind}, and should be ${kind}`;
  if (spelled(entry.postings) !== spelled(postings)) {
    return `it moves ${spelled(entry.postings)}; for reward ${rewardId}, it should move ${spelled(postings)}`;
  }
  return undefined;
}
