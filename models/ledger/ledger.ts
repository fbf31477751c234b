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
 * The ledger of LIVE money, and the test funding, which is not real money.
 * @param customerHashKey the key from which the key of the hashes is derived
 * @param maxRemembered how many accounts each of the two caches
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

/** The hash function of all chains. */
export function chainHasher(customerHashKey: KeyObject) {
  return keyedHasher(customerHashKey, 'ledger hash chain');
}
