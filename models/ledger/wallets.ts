import { accountsOf, type WalletRef, walletIdOf, walletOf } from '../../domain/postings.ts';
import type { Models } from '../schemas/index.ts';
import { awaitingFundingIndex, type RewardDoc } from '../schemas/rewards.ts';
import type { Ledger } from './ledger.ts';
import { reservationOf } from './reserve-in-order.ts';

/**
 * Whether rewards are funded from this wallet: always in LIVE, in TEST once it has test funding.
 */
export async function isFundedFrom(ledger: Ledger, wallet: WalletRef): Promise<boolean> {
  if (wallet.mode === 'LIVE') return true;
  return (await ledger.test.head(wallet.partnerId, accountsOf(wallet).funding)) !== undefined;
}

/**
 * A wallet's balances, in cents. What is owed to customers has no account of its own: since all
 * accounts sum to zero, it is the rest.
 */
export async function walletBalances(ledger: Ledger, wallet: WalletRef) {
  const { funding, reserved, cash, redeemed, writeOff } = accountsOf(wallet);
  const accounts = [funding, reserved, cash, redeemed, writeOff];
  const balances = await ledger.of(wallet.mode).balancesOf(wallet.partnerId, accounts);
  const [fundingCents = 0, reservedCents = 0] = balances;
  const owedCents = balances.reduce((sum, cents) => sum - cents, 0);
  return { fundingCents, reservedCents, owedCents: owedCents === 0 ? 0 : owedCents };
}

const awaiting = (wallet: WalletRef) => ({
  partnerId: wallet.partnerId,
  walletId: walletIdOf(wallet),
  status: 'AWAITING_FUNDING' as const,
});

/**
 * Whether any reward of the wallet waits for funding. Reads one index key, however many wait.
 * @param before count only rewards earlier than this one
 */
export async function isAwaited(
  models: Models,
  wallet: WalletRef,
  { before }: { before?: string } = {},
): Promise<boolean> {
  const filter = { ...awaiting(wallet), ...(before !== undefined && { _id: { $lt: before } }) };
  return (await models.rewards.exists(filter).hint(awaitingFundingIndex)) !== null;
}

/** Whether the first reward in a wallet's queue has its money, or could get it. */
export async function isServable(ledger: Ledger, first: RewardDoc): Promise<boolean> {
  const { partnerId, mode, liabilityCents } = first;
  const funding = accountsOf(walletOf(first)).funding;
  if ((await ledger.of(mode).balanceOf(partnerId, funding)) >= liabilityCents) return true;
  return (await reservationOf(ledger, { ...first, rewardId: first._id })) !== null;
}

/**
 * The next rewards in a wallet's queue. Reads as many index keys as are returned.
 * @param after the last one already served; null to begin at the front
 */
export async function nextInQueue(
  models: Models,
  wallet: WalletRef,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const waiting = await models.rewards
    .find({ ...awaiting(wallet), ...(after !== null && { _id: { $gt: after } }) }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(limit)
    .hint(awaitingFundingIndex);
  return waiting.map(({ _id }) => _id);
}

/** Counting a queue stops here, so that the number means "at least". */
const countLimit = 100_000;

/**
 * How many rewards of a wallet wait for funding, and what they cost, for display. Reads only index
 * keys, at most `countLimit`.
 */
export async function waitingIn(
  models: Models,
  wallet: WalletRef,
): Promise<{ awaitingRewards: number; awaitingCents: number }> {
  const [found] = await models.rewards
    .aggregate<{ rewards: number; cents: number }>([
      { $match: awaiting(wallet) },
      { $limit: countLimit },
      { $group: { _id: null, rewards: { $sum: 1 }, cents: { $sum: '$liabilityCents' } } },
    ])
    .option({ hint: awaitingFundingIndex });
  return { awaitingRewards: found?.rewards ?? 0, awaitingCents: found?.cents ?? 0 };
}
