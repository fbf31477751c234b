import { LRUCache } from 'lru-cache';
import type { ChainedPosting } from '../schemas/entry.ts';

/** How long a process goes by the postings that it wrote itself, and how many it keeps in mind. */
const rememberedMs = 5_000;
const usualMaxRemembered = 10_000;
/** For so long a partner's heads are read after somebody else was found to append to them too. */
const sharedMs = 1_000;

/**
 * What a process knows of the chains without asking. All of it only saves reads: an append that was
 * decided by what is no longer so is refused by an index, and decided anew.
 */
export interface ChainCache {
  /** The newest postings, as this process wrote them; undefined unless it knows all of them. */
  written(partnerId: string, accounts: readonly string[]): Map<string, ChainedPosting> | undefined;
  /** The places that newest postings were seen at: each is there still, or the newest is after it. */
  placesSeen(partnerId: string, accounts: readonly string[]): Map<string, number>;
  /** @param seq of the newest posting; 0 where there is none */
  saw(partnerId: string, account: string, seq: number): void;
  /** Only what a majority acknowledged: what was read may be undone, and leave a gap. */
  wrote(partnerId: string, postings: readonly ChainedPosting[]): void;
  /** Another process appends to this partner's accounts, too. */
  lostRace(partnerId: string): void;
}

/**
 * @param now milliseconds of a clock that only goes forward: by it, what is known is forgotten
 * @param maxRemembered how many accounts are kept in mind; their places are taken at once
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

/** Knows nothing: every append reads first. */
export const noChainCache: ChainCache = {
  written: () => undefined,
  placesSeen: () => new Map(),
  saw: () => undefined,
  wrote: () => undefined,
  lostRace: () => undefined,
};

/** `LEDGER_CACHE=off` switches the caches of a process off: what is right must not rest on them. */
export const usualChainCache = (maxRemembered?: number): ChainCache =>
  process.env.LEDGER_CACHE === 'off'
    ? noChainCache
    : createChainCache(() => performance.now(), maxRemembered);
