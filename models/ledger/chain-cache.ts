import { LRUCache } from 'lru-cache';
import type { ChainedPosting } from '../schemas/entries.ts';

/** How long a process trusts postings that it wrote itself, and how many accounts it caches. */
const rememberedMs = 5_000;
const usualMaxRemembered = 10_000;
/** How long a partner's heads are always read after another process was found to append to them. */
const sharedMs = 1_000;

/**
 * What a process knows about chains without reading. It only saves reads: an append based on
 * outdated knowledge is refused by a unique index, and decided again.
 */
export interface ChainCache {
  /** The newest postings, if this process wrote all of them; otherwise undefined. */
  written(partnerId: string, accounts: readonly string[]): Map<string, ChainedPosting> | undefined;
  /** The `seq` at which newest postings were last seen: the newest has that one or a later one. */
  placesSeen(partnerId: string, accounts: readonly string[]): Map<string, number>;
  /** @param seq of the newest posting; 0 if there is none */
  saw(partnerId: string, account: string, seq: number): void;
  /**
   * Only for postings acknowledged by a majority: others may be rolled back, which would leave a
   * gap.
   */
  wrote(partnerId: string, postings: readonly ChainedPosting[]): void;
  /** Another process also appends to this partner's accounts. */
  lostRace(partnerId: string): void;
}

/**
 * @param now milliseconds of a monotonic clock, by which entries expire
 * @param maxRemembered how many accounts are cached; the memory is allocated up front
 */
export function createChainCache(
  now: () => number,
  maxRemembered = usualMaxRemembered,
): ChainCache {
  const expiring = (ttl: number) => ({ max: maxRemembered, ttl, perf: { now } });
  const own = new LRUCache<string, ChainedPosting>(expiring(rememberedMs));
  const places = new LRUCache<string, number>({ max: maxRemembered });
  const shared = new LRUCache<string, true>(expiring(sharedMs));
  const keyOf = (partnerId: string, account: string) => `${partnerId}/${account}`;

  function known<T>(
    cache: { get(key: string): T | undefined },
    partnerId: string,
    accounts: readonly string[],
  ): Map<string, T> {
    const found = new Map<string, T>();
    for (const account of accounts) {
      const value = cache.get(keyOf(partnerId, account));
      if (value !== undefined) found.set(account, value);
    }
    return found;
  }

  const saw = (partnerId: string, account: string, seq: number): void => {
    places.set(keyOf(partnerId, account), seq);
  };

  return {
    written(partnerId, accounts) {
      if (shared.has(partnerId)) return undefined;
      const found = known(own, partnerId, accounts);
      return found.size === new Set(accounts).size ? found : undefined;
    },
    placesSeen: (partnerId, accounts) => known(places, partnerId, accounts),
    saw,
    wrote(partnerId, postings) {
      for (const posting of postings) {
        own.set(keyOf(partnerId, posting.account), posting);
        saw(partnerId, posting.account, posting.seq);
      }
    },
    lostRace: (partnerId) => void shared.set(partnerId, true),
  };
}

/** No cache: every append reads first. */
export const noChainCache: ChainCache = {
  written: () => undefined,
  placesSeen: () => new Map(),
  saw: () => undefined,
  wrote: () => undefined,
  lostRace: () => undefined,
};

/** The caches of a process. They only save reads: correctness does not depend on them. */
export const usualChainCache = (maxRemembered?: number): ChainCache =>
  createChainCache(() => performance.now(), maxRemembered);
