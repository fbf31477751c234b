import type { KeyObject } from 'node:crypto';
import type { Mode } from '../../domain/mode.ts';
import { balance } from '../../domain/postings.ts';
import { keyedHasher } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { createChain } from './chain.ts';
import { usualChainCache } from './chain-cache.ts';

export type Ledger = ReturnType<typeof createLedger>;

/**
 * The ledger, where LIVE money stands, and beside it the test funding, which is nobody's money.
 * @param customerHashKey also keys the hashes, by a key derived from it
 * @param maxRemembered how many accounts each of the two keeps in mind; many, unless it is said
 */
export function createLedger(models: Models, customerHashKey: KeyObject, maxRemembered?: number) {
  const options = {
    hash: chainHasher(customerHashKey),
    newId: () => newId('transaction'),
    prepare: balance,
  };
  const chainOf = (entries: Models['ledger']) =>
    createChain(entries, { ...options, cache: usualChainCache(maxRemembered) });
  const live = chainOf(models.ledger);
  const test = chainOf(models.testFunding);
  return { live, test, of: (mode: Mode) => (mode === 'LIVE' ? live : test) };
}

/** Makes every chain's hashes. */
export function chainHasher(customerHashKey: KeyObject) {
  return keyedHasher(customerHashKey, 'ledger hash chain');
}
