import type { KeyObject } from 'node:crypto';
import { type Hash, leafHash } from '../../domain/merkle.ts';
import { keyedHasher, sha256 } from '../../platform/hashing.ts';
import type { EntryDoc } from '../schemas/entries.ts';

/** Writes down an entry as the log has it and receipts show it. */
export type WriteLeaf = (entry: EntryDoc) => string;

const blindedChars = 32;

/**
 * A leaf says what its entry moved, and contains the entry's hash, which nobody can guess: so hashes of other
 * leaves in a proof reveal nothing. It leaves out the balances, which are the partner's, and blinds the customer,
 * differently for each reward.
 * @param hashKey the key of ledgers' hashes
 */
export function createWriteLeaf(hashKey: KeyObject): WriteLeaf {
  const blind = keyedHasher(hashKey, 'customer of a receipt');
  return ({ _id: id, partnerId, at, kind, reference, rewardId, reverses, postings, hash }) => {
    const moved = postings.map(({ account, unit, amount }) => {
      const [name = '', customerId] = account.split(':');
      if (customerId === undefined) return { account, unit, amount };
      const blinded = blind(`${rewardId ?? id}\n${customerId}`).slice(0, blindedChars);
      return { account: `${name}:${blinded}`, unit, amount };
    });
    const when = at.toISOString();
    const said = { id, partnerId, at: when, kind, reference, rewardId, reverses };
    return JSON.stringify({ ...said, postings: moved, hash });
  };
}

/** The hash of an entry's leaf. */
export const hashOfEntry = (writeLeaf: WriteLeaf, entry: EntryDoc): Hash =>
  leafHash(sha256, Buffer.from(writeLeaf(entry), 'utf8'));

export const toText = (hash: Hash): string => Buffer.from(hash).toString('base64');
