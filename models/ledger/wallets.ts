import type { ClientSession } from 'mongoose';
import type { Wallet } from '../../domain/draft.ts';
import { accounts, isUnlimited, type WalletRef, walletIdOf } from '../../domain/postings.ts';
import { missingCentsOf } from '../../domain/queue.ts';
import { waitingTotal } from '../../domain/reward-totals.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import { awaitingFundingIndex } from '../schemas/rewards.ts';

/** The entry of a wallet that has a reference (domain/facts.ts); null if there is none. */
export async function findEntry(
  { ledger }: Pick<Models, 'ledger'>,
  { partnerId, mode }: WalletRef,
  reference: string,
): Promise<EntryDoc | null> {
  return await ledger.findOne({ partnerId, mode, reference });
}

/** @returns null for one that no money has reached */
export async function readWallet(
  { wallets }: Pick<Models, 'wallets'>,
  ref: WalletRef,
  session?: ClientSession,
): Promise<Wallet | null> {
  const filter = { partnerId: ref.partnerId, _id: walletIdOf(ref) as never };
  return await wallets.collection.findOne<Wallet>(filter, { ...(session && { session }) });
}

/**
 * A wallet's balances, in cents. What is owed to customers has no account of its own: since all accounts
 * sum to zero, it is the rest.
 */
export async function walletBalances(
  models: Pick<Models, 'wallets'>,
  wallet: WalletRef,
  session?: ClientSession,
) {
  return balancesOf(wallet, await readWallet(models, wallet, session));
}

function balancesOf({ mode }: WalletRef, wallet: Wallet | null) {
  const { funding, reserved, cash, redeemed } = accounts;
  const { balances = {} } = wallet ?? {};
  const of = (account: string): number => balances[account] ?? 0;
  const shared = [funding, reserved, cash, redeemed, 'writeOff'];
  const owedCents = shared.reduce((sum, account) => sum - of(account), 0);
  return {
    isUnlimited: isUnlimited({ mode, balances }),
    fundingCents: of(funding),
    reservedCents: of(reserved),
    owedCents: owedCents === 0 ? 0 : owedCents,
  };
}

/** A wallet's balances, what waits for its funds, and what is missing for all of that. */
export async function walletFunds(models: Pick<Models, 'wallets'>, ref: WalletRef) {
  const wallet = await readWallet(models, ref);
  const balances = balancesOf(ref, wallet);
  const { rewards: awaitingRewards, cents: awaitingCents } = waitingTotal(
    wallet ?? { rewards: {} },
  );
  const missingCents = missingCentsOf({
    availableCents: balances.fundingCents,
    waitingCents: awaitingCents,
  });
  return { ...balances, awaitingRewards, awaitingCents, missingCents };
}

/** Counting a queue stops here, so that the number means "at least". */
const countLimit = 100_000;

/**
 * How many of a wallet's waiting rewards have these ids, and what they cost, for display. Reads only index keys, at
 * most `countLimit`.
 */
export async function waitingAmong(
  models: Models,
  wallet: WalletRef,
  ids: { $lt: string; $nin: readonly string[] },
): Promise<{ awaitingRewards: number; awaitingCents: number }> {
  const { partnerId, mode } = wallet;
  const [found] = await models.rewards
    .aggregate<{ rewards: number; cents: number }>([
      { $match: { partnerId, mode, state: 'AWAITING_FUNDING', _id: ids } },
      { $limit: countLimit },
      { $group: { _id: null, rewards: { $sum: 1 }, cents: { $sum: '$liabilityCents' } } },
    ])
    .option({ hint: awaitingFundingIndex });
  return { awaitingRewards: found?.rewards ?? 0, awaitingCents: found?.cents ?? 0 };
}
