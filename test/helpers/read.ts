import type { Draft, Read, Wallet } from '../../domain/draft.ts';
import { Known } from '../../domain/known.ts';
import { type WalletRef, walletIdOf } from '../../domain/postings.ts';

/** Documents by id, as if whatever is asked for had been read. */
export class Stored<Doc> extends Map<string, Doc> {
  override has(): boolean {
    return true;
  }
}

/** A wallet that no money has reached. */
export const aWallet = (ref: WalletRef): Wallet => ({
  ...ref,
  _id: walletIdOf(ref),
  balances: {},
  seq: 0,
  hash: '',
  rewards: {},
  version: 1,
  due: null,
});

/** All kinds of documents, none of which exists yet. */
export const nothingStored = () => ({
  rewards: new Stored<never>(),
  made: new Stored<never>(),
  redemptions: new Stored<never>(),
  customers: new Stored<never>(),
  periods: new Stored<never>(),
  subscriptions: new Stored<never>(),
  invoices: new Stored<never>(),
  lastInvoice: 0,
  customerDays: new Stored<never>(),
  budgets: new Stored<never>(),
});

/** All that a draft holds, to be compared. */
export const contentOf = (of: Read | Draft): Record<string, unknown> =>
  structuredClone(
    Object.fromEntries(
      Object.entries(of).map(([name, held]) => [
        name,
        held instanceof Known ? held.values() : held,
      ]),
    ),
  );
