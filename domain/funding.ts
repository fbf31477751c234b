import type { Draft } from './draft.ts';
import { ServiceError } from './errors.ts';
import { postEntry, references, type Terms } from './facts.ts';
import { moneyText } from './money.ts';
import { accounts, type WalletRef, withdrawalPostings } from './postings.ts';
import { type Announcement, withoutReward } from './webhooks.ts';

/** Money that leaves the LIVE funding again. */
export interface MoneyOut {
  partnerId: string;
  /** From 1. */
  amountCents: number;
  /** The partner's. */
  currency: string;
  /** The bank's, once per kind. */
  externalReference: string;
}

/**
 * Unused funding goes back to the partner.
 * @throws ServiceError CONFLICT if less is available: what is reserved or owed to customers is not
 */
export function recordWithdrawal(draft: Draft, money: MoneyOut, terms: Terms): void {
  const { partnerId, amountCents, externalReference } = money;
  requireAvailable(draft.balanceOf(accounts.funding), money);
  const reference = references.withdrawal(externalReference);
  const postings = withdrawalPostings(amountCents);
  postEntry(draft, liveWallet(partnerId), terms, { kind: 'WITHDRAWAL', reference, postings });
  draft.announce({ ...announced(draft, money, terms, reference), type: 'funding.withdrawn' });
}

/** A top-up, as its entry has it. */
export interface MadeTopUp {
  transactionId: string;
  amountCents: number;
}

/**
 * Takes back what a top-up booked by mistake, all of it or a part: by an entry that names it, since none is
 * ever edited. An index lets one entry reverse it.
 * @throws ServiceError CONFLICT if it exceeds the top-up, or if less is available
 */
export function recordCorrection(
  draft: Draft,
  money: MoneyOut,
  topUp: MadeTopUp,
  terms: Terms,
): void {
  const { partnerId, amountCents, externalReference } = money;
  requireWithin(topUp, money);
  requireAvailable(draft.balanceOf(accounts.funding), money);
  const reference = references.correction(externalReference);
  const postings = withdrawalPostings(amountCents);
  const entry = { kind: 'CORRECTION', reference, postings, reverses: topUp.transactionId };
  postEntry(draft, liveWallet(partnerId), terms, entry);
  const announcement = announced(draft, money, terms, reference);
  const data = { correctedTransactionId: topUp.transactionId, ...announcement.data };
  draft.announce({ ...announcement, type: 'funding.corrected', data });
}

const liveWallet = (partnerId: string): WalletRef => ({ mode: 'LIVE', partnerId });

type Amount = Pick<MoneyOut, 'amountCents' | 'currency'>;

/** @throws ServiceError CONFLICT for more than the top-up was */
export function requireWithin(
  topUp: Pick<MadeTopUp, 'amountCents'>,
  { amountCents, currency }: Amount,
): void {
  if (amountCents <= topUp.amountCents) return;
  const most = moneyText(topUp.amountCents, currency);
  throw new ServiceError('CONFLICT', `The top-up was ${most}: correct at most that.`);
}

/** @throws ServiceError CONFLICT for more than is available */
export function requireAvailable(availableCents: number, { amountCents, currency }: Amount): void {
  if (amountCents <= availableCents) return;
  throw new ServiceError(
    'CONFLICT',
    `Only ${moneyText(availableCents, currency)} is available: the rest is reserved for rewards or owed to customers.`,
  );
}

/** What a movement announces, once its entry is on the draft. */
const announced = (
  draft: Draft,
  { partnerId, amountCents }: MoneyOut,
  { at }: Terms,
  cause: string,
): Omit<Announcement, 'type'> => ({
  partnerId,
  mode: 'LIVE',
  at,
  cause,
  ...withoutReward,
  data: { amountCents, balanceCents: draft.balanceOf(accounts.funding) },
});
