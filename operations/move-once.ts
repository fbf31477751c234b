import type { WalletRef } from '../domain/postings.ts';
import type { Fact } from '../models/fact.ts';
import { findEntry } from '../models/ledger/index.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { OperationDeps } from './deps.ts';

/** An entry of a ledger, and whether this call made it. */
export interface Moved {
  entry: EntryDoc;
  isNew: boolean;
}

export type MoveDeps = Pick<OperationDeps, 'models' | 'commit'>;

/**
 * Moves money once per reference of a wallet's ledger. A repeat finds the entry and moves nothing, whatever
 * refuses it by then: the caller checks that the entry is the one it meant.
 * @throws what refuses the fact, unless the entry exists
 */
export async function moveOnce(
  { models, commit }: MoveDeps,
  wallet: WalletRef,
  reference: string,
  fact: Omit<Fact<unknown>, 'partnerId' | 'wallet'>,
): Promise<Moved> {
  const find = () => findEntry(models, wallet, reference);
  const before = await find();
  if (before !== null) return { entry: before, isNew: false };
  let refusal: unknown;
  try {
    await commit({ ...fact, partnerId: wallet.partnerId, wallet });
  } catch (error) {
    refusal = error;
  }
  const entry = await find();
  if (entry !== null) return { entry, isNew: refusal === undefined };
  throw refusal ?? new Error(`${reference} moved no money`);
}
