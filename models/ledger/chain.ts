import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { EntryDraft, Wallet } from '../../domain/draft.ts';
import { newId } from '../../platform/ids.ts';
import type { EntryDoc } from '../schemas/entries.ts';

/** A wallet's ledger is a chain: each entry has a keyed hash over itself and the one before. */

/** The entries with their hashes, each bound to the one before it. */
export function chained(
  { partnerId, mode, hash }: Wallet,
  drafts: readonly EntryDraft[],
  at: Date,
  key: KeyObject,
): EntryDoc[] {
  let previousHash = hash;
  return drafts.map((draft) => {
    const entry = { _id: newId('transaction'), partnerId, mode, at, ...draft, previousHash };
    previousHash = entryHash(key, entry);
    return { ...entry, hash: previousHash };
  });
}

/** The key of ledgers' hashes. Access to the database alone is not enough to forge an entry. */
export const ledgerKey = (customerHashKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', customerHashKey).update('ledger entry').digest());

/** The keyed hash of an entry, over all that it says and the hash of the entry before it. */
export function entryHash(key: KeyObject, entry: Omit<EntryDoc, 'hash'>): string {
  const { _id, partnerId, mode, seq, reference, kind, rewardId, at, postings } = entry;
  const moved = postings.map(({ account, unit, amount, balanceAfter }) => [
    account,
    unit,
    amount,
    balanceAfter,
  ]);
  const said = [_id, partnerId, mode, seq, reference, kind, rewardId, at.toISOString(), moved];
  if (entry.reverses !== undefined) said.push(entry.reverses);
  return createHmac('sha256', key)
    .update(JSON.stringify([entry.previousHash, ...said]))
    .digest('base64url');
}

/** Whether an entry is as a commit wrote it. A tampered one may lack fields that the hash is made from. */
export function isGenuine(hashKey: KeyObject, entry: EntryDoc): boolean {
  try {
    return entryHash(hashKey, entry) === entry.hash;
  } catch {
    return false;
  }
}
