import {
  type Accounts,
  accountsOf,
  type BalanceOf,
  claim,
  release,
  reserve,
  uphold,
  walletOf,
} from '../../domain/postings.ts';
import type { Effect, RewardSnapshot } from '../../domain/reward.ts';
import type { DecidedDraft, Draft } from './chain.ts';
import { type RewardEntryKind, references, voidKind } from './references.ts';

/** The accounts that a reward's entry reads and posts to, and what it posts. */
interface RewardEntry {
  accounts(of: Accounts, customerId: string): (string | undefined)[];
  decide(of: Accounts, reward: RewardSnapshot, balanceOf: BalanceOf): DecidedDraft;
}

const rewardEntries: Record<Effect, RewardEntry> = {
  RELEASE: {
    accounts: ({ reserved, funding }) => [reserved, funding],
    decide: (of, reward) => ({ kind: 'RELEASE', postings: release(of, reward) }),
  },
  CLAIM: {
    accounts: ({ reserved, payable, points }, customerId) => [
      reserved,
      payable(customerId),
      points?.issued,
      points?.customer(customerId),
    ],
    decide: (of, reward) => ({ kind: 'CLAIM', postings: claim(of, reward) }),
  },
  // The kind of its entry is WRITE_OFF if points were spent already.
  CLAWBACK: {
    accounts: ({ payable, funding, redeemed, writeOff, points }, customerId) => [
      payable(customerId),
      funding,
      redeemed,
      writeOff,
      points?.customer(customerId),
      points?.issued,
      points?.redeemed,
      points?.writeOff,
    ],
    decide: uphold,
  },
};

/** The entry for the effect of a settling move. */
export function rewardDraft(reward: RewardSnapshot, effect: Effect, at: string): Draft {
  const accounts = accountsOf(walletOf(reward));
  const entry = rewardEntries[effect];
  return {
    ...headingOf(reward, effect, at),
    accounts: entry
      .accounts(accounts, reward.customerId)
      .filter((account): account is string => account !== undefined),
    decide: (balanceOf) => entry.decide(accounts, reward, balanceOf),
  };
}

/** Why a reward is not funded. */
export type Shortfall = 'SHORT_OF_FUNDS';

/** The reservation of a reward's money, refused if funds are short. */
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

/**
 * Takes the place of a reservation that was never made, of a reward that ended unfunded: whoever
 * tries to reserve later, such as an attempt that was thought dead, finds the place taken. It only
 * posts to the reserved account, so that an integration without test funding does not seem to have
 * any.
 */
export function voidDraft(reward: RewardSnapshot, at: string): Draft {
  const { reserved } = accountsOf(walletOf(reward));
  return {
    ...headingOf(reward, 'RESERVE', at),
    accounts: [reserved],
    decide: () => ({
      kind: voidKind,
      postings: [{ account: reserved, unit: 'CENTS', amount: 0 }],
      keepsZeros: true,
    }),
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
