import Joi from 'joi';
import { accountsOf } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { references, topUp } from '../../domain/facts.ts';
import { formatCents } from '../../domain/money.ts';
import type { WalletRef } from '../../domain/wallet.ts';
import { findEntry } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import { isDuplicateKey } from '../../models/store/insert-once.ts';
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
export type TopUpDeps = Pick<OperationDeps, 'models' | 'commit'>;

/**
 * Tops up a wallet, once per external reference: the partner's funding in LIVE, the integration's test
 * funding in TEST (docs/domain.md, Accounting). Rewards that wait for it are funded in the same commit, as
 * many as fit into it.
 * @throws ServiceError CONFLICT if the reference belongs to another amount
 */
export async function topUpWallet(
  { models, commit }: TopUpDeps,
  wallet: WalletRef,
  money: TopUpMoney,
): Promise<ToppedUp> {
  const { amountCents, externalReference } = money;
  const reference = references.topUp(externalReference);
  const before = await findEntry(models, wallet, reference);
  let isNew = before === null;
  if (isNew) {
    const { partnerId } = wallet;
    await commit({
      partnerId,
      wallet,
      createsWallet: true,
      decide: (draft, terms) => topUp(draft, wallet, money, terms),
    }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      isNew = false;
    });
  }
  const entry = before ?? (await findEntry(models, wallet, reference));
  if (entry === null) throw new Error('the top-up moved no money');
  const { funding } = accountsOf(wallet);
  const arrivedCents = entry.postings.find(({ account }) => account === funding)?.amount;
  if (arrivedCents === amountCents) return { entry, isNew };
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} was already used for another top-up (${entry._id}, ${formatCents(arrivedCents ?? 0)}). Use another reference.`,
  );
}
