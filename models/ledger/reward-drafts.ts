import { type Accounts, accountsOf } from '../../domain/accounts.ts';
import { type RewardSnapshot, walletOf } from '../../domain/events.ts';
import { type BalanceOf, claim, release, reserve, uphold } from '../../domain/postings.ts';
import type { Effect } from '../../domain/reward-states.ts';
import type { Decided, Draft } from './chain.ts';
import { type RewardEntryKind, references } from './references.ts';

/** What each of a reward's entries reads and posts. */
interface RewardEntry {
  accounts(of: Accounts, customerKey: string): (string | undefined)[];
  decide(of: Accounts, reward: RewardSnapshot, balanceOf: BalanceOf): Decided;
}

const rewardEntries: Record<Effect, RewardEntry> = {
  RELEASE: {
    accounts: ({ reserved, funding }) => [reserved, funding],
    decide: (of, reward) => ({ kind: 'RELEASE', postings: release(of, reward) }),
  },
  CLAIM: {
    accounts: ({ reserved, payable, points }, customerKey) => [
      reserved,
      payable(customerKey),
      points?.issued,
      points?.customer(customerKey),
    ],
    decide: (of, reward) => ({ kind: 'CLAIM', postings: claim(of, reward) }),
  },
  // Its kind is WRITE_OFF where points were spent already.
  CLAWBACK: {
    accounts: ({ payable, funding, redeemed, writeOff, points }, customerKey) => [
      payable(customerKey),
      funding,
      redeemed,
      writeOff,
      points?.customer(customerKey),
      points?.issued,
      points?.redeemed,
      points?.writeOff,
    ],
    decide: uphold,
  },
};

/** What is appended for what a settling move does to the money. */
export function rewardDraft(reward: RewardSnapshot, effect: Effect, at: string): Draft {
  const accounts = accountsOf(walletOf(reward));
  const entry = rewardEntries[effect];
  return {
    ...headingOf(reward, effect, at),
    accounts: entry
      .accounts(accounts, reward.customerKey)
      .filter((account): account is string => account !== undefined),
    decide: (balanceOf) => entry.decide(accounts, reward, balanceOf),
  };
}

/** Why a reward is not funded. */
export type Shortfall = 'SHORT_OF_FUNDS';

/** The reservation of a reward's money, as far as the funding goes. */
export function reservationDraft(reward: RewardSnapshot, at: string): Draft<Shortfall> {
  const accounts = accountsOf(walletOf(reward));
  return {
    ...headingOf(reward, 'RESERVE', at),
    accounts: [accounts.funding, accounts.reserved],
    decide: (balanceOf) =>
      reward.liabilityCents > balanceOf(accounts.funding)
        ? { refused: 'SHORT_OF_FUNDS' }
        : { kind: 'RESERVE', postings: reserve(accounts, reward) },
  };
}

function headingOf({ partnerId, rewardId }: RewardSnapshot, kind: RewardEntryKind, at: string) {
  return {
    partnerId,
    reference: references.reward(kind, rewardId),
    rewardId,
    at: new Date(at),
  };
}
