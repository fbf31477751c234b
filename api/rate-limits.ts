import { LRUCache } from 'lru-cache';
import {
  type RateLimitBlock,
  type RateLimitRequest,
  windowMs,
} from '../models/store/rate-limits.ts';

/** What a request is told: whether it may pass, and how its partner stands. */
export interface Grant {
  isGranted: boolean;
  /**
   * What this process holds, and what nobody had taken when it last asked. With one process that is
   * exact; with several it is at most what is left.
   */
  remaining: number;
  /** Until the window is over. */
  resetMs: number;
}

/** What this process has of the window of a partner's keys of one mode. */
interface Holding {
  limit: number;
  held: number;
  untaken: number;
  endsAtMs: number;
  /** Requests that wait for the next block. */
  waiting: number;
  refill: Promise<void> | null;
}

/** A partner past this many is forgotten: its permits lie idle until its window is over. */
const maxHoldings = 10_000;

export interface RateLimiterDeps {
  /** Takes a block from the window that all processes share. */
  takeBlock(request: RateLimitRequest): Promise<RateLimitBlock>;
  /** Milliseconds that only go forward, from any beginning. */
  elapsedMs(): number;
  /** Told when the shared window is out of reach. */
  onFailure(error: unknown): void;
}

/**
 * Hands out permits from blocks, so that a request rarely costs a write. Every permit comes from the
 * shared window and is used before that window is over, so that the limit holds across processes;
 * what a process holds unused then is lost. While the shared window is out of reach the process
 * counts for itself: the limiter must not take the API down.
 */
export function createRateLimiter({ takeBlock, elapsedMs, onFailure }: RateLimiterDeps) {
  const holdings = new LRUCache<string, Holding>({ max: maxHoldings });

  async function fill(holding: Holding, who: Omit<RateLimitRequest, 'wanted'>): Promise<void> {
    // The window's end is reckoned from before the question, and so is never too late.
    const askedAtMs = elapsedMs();
    const ownWindow = { granted: who.limit, untaken: 0, leftMs: windowMs };
    const { granted, untaken, leftMs } = await takeBlock({
      ...who,
      wanted: holding.waiting,
    }).catch((error: unknown) => {
      onFailure(error);
      return ownWindow;
    });
    holding.held = granted;
    holding.untaken = untaken;
    holding.endsAtMs = askedAtMs + leftMs;
  }

  return async (who: Omit<RateLimitRequest, 'wanted'>): Promise<Grant> => {
    const { partnerId, mode, limit } = who;
    const name = `${mode} ${partnerId}`;
    let holding = holdings.get(name);
    if (holding === undefined) {
      holding = { limit, held: 0, untaken: limit, endsAtMs: 0, waiting: 0, refill: null };
      holdings.set(name, holding);
    }
    // Two keys may know two limits for the seconds after a change of plan: what is held stays held.
    if (holding.limit !== limit) {
      holding.untaken = Math.max(0, holding.untaken + limit - holding.limit);
      holding.limit = limit;
    }
    const isOver = (of: Holding) => elapsedMs() >= of.endsAtMs;
    while (isOver(holding) || (holding.held === 0 && holding.untaken > 0)) {
      const asked = holding;
      asked.waiting++;
      asked.refill ??= Promise.resolve()
        .then(() => fill(asked, who))
        .finally(() => {
          asked.refill = null;
        });
      await asked.refill;
      asked.waiting--;
    }
    const isGranted = holding.held > 0;
    if (isGranted) holding.held--;
    return {
      isGranted,
      remaining: holding.held + holding.untaken,
      resetMs: holding.endsAtMs - elapsedMs(),
    };
  };
}
