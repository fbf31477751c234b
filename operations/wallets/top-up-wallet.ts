import Joi from 'joi';
import { accountsOf } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { formatCents } from '../../domain/money.ts';
import { topUp as topUpPostings } from '../../domain/postings.ts';
import type { WalletRef } from '../../domain/wallet.ts';
import { references } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { OperationDeps } from '../deps.ts';
import { referenceField } from '../fields.ts';

/** 1,000,000,000.00; a larger top-up is probably mistyped. */
export const maxTopUpCents = 100_000_000_000;

export const topUpFields = {
  amountCents: Joi.number().integer().min(1).max(maxTopUpCents).required(),
  externalReference: referenceField.required(),
};

export interface TopUpMoney {
  /** Cents, from 1 to `maxTopUpCents`. */
  amountCents: number;
  /** An external reference such as the bank's, once per wallet. */
  externalReference: string;
}

/** The transaction, and whether this call made it. */
export interface ToppedUp {
  entry: EntryDoc;
  isNew: boolean;
}

/** Dependencies of a top-up. */
export type TopUpDeps = Pick<OperationDeps, 'ledger' | 'now'> & {
  messenger: Pick<OperationDeps['messenger'], 'wakeWallet'>;
};

/**
 * Tops up a wallet and wakes its workflow, which funds waiting rewards. A repeat wakes it as well, because
 * the first process may have crashed before that.
 * @throws ServiceError CONFLICT if the reference belongs to another amount
 */
export async function topUpAndFund(
  deps: TopUpDeps,
  wallet: WalletRef,
  money: TopUpMoney,
): Promise<ToppedUp> {
  const toppedUp = await topUpWallet(deps, wallet, money);
  await deps.messenger.wakeWallet(wallet);
  return toppedUp;
}

/**
 * Tops up a wallet, once per external reference: the partner's funding in LIVE, the integration's test
 * funding in TEST (docs/domain.md, Accounting).
 * @throws ServiceError CONFLICT if the reference belongs to another amount
 */
export async function topUpWallet(
  { ledger, now }: Pick<OperationDeps, 'ledger' | 'now'>,
  wallet: WalletRef,
  { amountCents, externalReference }: TopUpMoney,
): Promise<ToppedUp> {
  const accounts = accountsOf(wallet);
  const { cash, funding } = accounts;
  const outcome = await ledger.of(wallet.mode).append({
    partnerId: wallet.partnerId,
    reference: references.topUp(wallet, externalReference),
    rewardId: null,
    at: new Date(now()),
    accounts: [cash, funding],
    decide: () => ({ kind: 'TOP_UP', postings: topUpPostings(accounts, amountCents) }),
  });
  if (!('entry' in outcome) || outcome.entry === null) throw new Error('the top-up moved no money');
  const { entry } = outcome;
  const arrivedCents = entry.postings.find(({ account }) => account === funding)?.amount;
  if (arrivedCents === amountCents) return outcome;
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} was already used for another top-up (${entry._id}, ${formatCents(arrivedCents ?? 0)}). Use another reference.`,
  );
}
