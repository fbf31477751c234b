import { accountsOf } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type WalletRef, walletIdOf } from '../../domain/events.ts';
import { topUp } from '../../domain/postings.ts';
import { type Ledger, references } from '../ledger/index.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { ReferencedDeed } from './deeds.ts';

/** 1,000,000,000.00; a larger deposit is taken for a mistyped one. */
export const maxDepositCents = 100_000_000_000;

export interface Deposit {
  /** Cents, from 1 to `maxDepositCents`. */
  amountCents: number;
  /** What names it outside, such as the bank's reference: once per wallet. */
  externalReference: string;
}

/**
 * Puts money into a wallet, once per external reference: LIVE is the partner's funding, TEST the
 * integration's test funding (domain, Accounting).
 * @returns the transaction, and whether this call made it
 * @throws ServiceError CONFLICT when the reference stands for another amount
 */
export async function deposit(
  { ledger, now }: { ledger: Ledger; now: () => number },
  wallet: WalletRef,
  { amountCents, externalReference }: Deposit,
): Promise<{ entry: EntryDoc; isNew: boolean }> {
  const accounts = accountsOf(wallet);
  const { cash, funding } = accounts;
  const outcome = await ledger.of(wallet.mode).append({
    partnerId: wallet.partnerId,
    reference: references.topUp(wallet, externalReference),
    rewardId: null,
    at: new Date(now()),
    accounts: [cash, funding],
    decide: () => ({ kind: 'TOP_UP', postings: topUp(accounts, amountCents) }),
  });
  if (!('entry' in outcome) || outcome.entry === null) throw new Error('a deposit moves money');
  const { entry } = outcome;
  const arrivedCents = entry.postings.find(({ account }) => account === funding)?.amount;
  if (arrivedCents === amountCents) return outcome;
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} stands for ${arrivedCents} cents already (${entry._id}); use a reference of its own.`,
  );
}

/** What the trail keeps of a deposit. */
export function depositDeed(
  wallet: WalletRef,
  { amountCents, externalReference: reference }: Deposit,
): ReferencedDeed {
  return {
    action: wallet.mode === 'LIVE' ? 'partner.top-up' : 'integration.test-funding',
    partnerId: wallet.partnerId,
    targetId: walletIdOf(wallet),
    details: { reference, amountCents },
  };
}
