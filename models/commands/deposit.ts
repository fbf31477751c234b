import { ServiceError } from '../../domain/errors.ts';
import type { WalletRef } from '../../domain/events.ts';
import { bookOf, topUp } from '../../domain/postings.ts';
import type { Books } from '../ledger/books.ts';
import type { EntryDoc } from '../ledger/chain.ts';

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
  { books, now }: { books: Books; now: () => number },
  { partnerId, mode, integrationId }: WalletRef,
  { amountCents, externalReference }: Deposit,
): Promise<{ entry: EntryDoc; isNew: boolean }> {
  const book = bookOf(mode, integrationId);
  const outcome = await books.chainOf(mode).append<never>({
    partnerId,
    references: [depositReference(mode, integrationId, externalReference)],
    rewardId: null,
    at: new Date(now()),
    accounts: [book.cash, book.funding],
    post: () => ({ kind: 'TOP_UP', postings: topUp(book, amountCents) }),
  });
  if (!('entry' in outcome) || outcome.entry === null) throw new Error('a deposit moves money');
  const { entry } = outcome;
  const arrivedCents = entry.postings.find(({ account }) => account === book.funding)?.amount;
  if (arrivedCents === amountCents) return outcome;
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} stands for ${arrivedCents} cents already (${entry._id}); use a reference of its own.`,
  );
}

/** Test funding of all a partner's integrations is in one collection; each has references of its own. */
function depositReference(
  mode: WalletRef['mode'],
  integrationId: string,
  externalReference: string,
): string {
  return mode === 'LIVE'
    ? `topUp:${externalReference}`
    : `topUp:${integrationId}:${externalReference}`;
}
