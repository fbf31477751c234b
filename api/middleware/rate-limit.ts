import { LRUCache } from 'lru-cache';
import { rateLimited } from '../../http/limits.ts';
import {
  type RateLimitBlock,
  type RateLimitRequest,
  takeFromRateLimit,
  windowMs,
} from '../../models/store/rate-limits.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** Whether a request is granted, and what is left of the partner's limit. */
export interface Grant {
  isGranted: boolean;
  /**
   * The requests that this process holds, plus those that no process had taken when it last took a
   * block. Exact with one process; with several, other processes may have taken some since.
   */
  remaining: number;
  /** Time until the window ends. */
  resetMs: number;
}

/** This process's share of the window of one partner and mode. */
interface Holding {
  limit: number;
  held: number;
  untaken: number;
  endsAtMs: number;
  /** Requests waiting for the next block. */
  waiting: number;
  refill: Promise<void> | null;
}

/** Beyond this many, the least recently used is dropped: what it held stays unused in its window. */
const maxHoldings = 10_000;

export interface RateLimiterDeps {
  /** Takes a block of requests from the window that all processes share. */
  takeBlock(request: RateLimitRequest): Promise<RateLimitBlock>;
  /** A monotonic clock, in milliseconds. */
  elapsedMs(): number;
  /** Called when the shared window is unavailable. */
  onFailure(error: unknown): void;
}

/**
 * Grants requests from blocks, so that a request rarely costs a write. Every block comes from the
 * shared window and is void when that window ends, so that the limit holds across processes. While
 * the shared window is unavailable, the process counts alone: the limiter must not take the API down.
 */
export function createRateLimiter({ takeBlock, elapsedMs, onFailure }: RateLimiterDeps) {
  const holdings = new LRUCache<string, Holding>({ max: maxHoldings });

  async function fill(holding: Holding, partner: Omit<RateLimitRequest, 'wanted'>): Promise<void> {
    // Counted from before the read, so that the window never seems to end later than it does.
    const startedAtMs = elapsedMs();
    const ownWindow = { granted: partner.limit, untaken: 0, leftMs: windowMs };
    const { granted, untaken, leftMs } = await takeBlock({
      ...partner,
      wanted: holding.waiting,
    }).catch((error: unknown) => {
      onFailure(error);
      return ownWindow;
    });
    holding.held = granted;
    holding.untaken = untaken;
    holding.endsAtMs = startedAtMs + leftMs;
  }

  return async (partner: Omit<RateLimitRequest, 'wanted'>): Promise<Grant> => {
    const { partnerId, mode, limit } = partner;
    const name = `${mode} ${partnerId}`;
    let holding = holdings.get(name);
    if (holding === undefined) {
      holding = { limit, held: 0, untaken: limit, endsAtMs: 0, waiting: 0, refill: null };
      holdings.set(name, holding);
    }
    // After a change of plan, cached keys have the old limit for a few seconds; requests already held stay valid.
    if (holding.limit !== limit) {
      holding.untaken = Math.max(0, holding.untaken + limit - holding.limit);
      holding.limit = limit;
    }
    const isOver = (of: Holding) => elapsedMs() >= of.endsAtMs;
    while (isOver(holding) || (holding.held === 0 && holding.untaken > 0)) {
      const current = holding;
      current.waiting++;
      current.refill ??= Promise.resolve()
        .then(() => fill(current, partner))
        .finally(() => {
          current.refill = null;
        });
      try {
        await current.refill;
      } finally {
        current.waiting--;
      }
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

const windowSeconds = windowMs / 1000;

/**
 * The plan's rate limit, which all of a partner's keys of one mode share (docs/integrate/requests.md, Rate limits). All processes count in MongoDB, each taking a block of requests at a time.
 * @throws ServiceError RATE_LIMITED
 */
export function limitByPartner({ models, log }: Pick<ApiDeps, 'models' | 'log'>): ApiMiddleware {
  const takeFromLimit = createRateLimiter({
    takeBlock: (request) => takeFromRateLimit(models, request),
    elapsedMs: () => performance.now(),
    onFailure: (error) =>
      log.warn({ err: error }, 'the shared rate limit is unavailable; this process counts alone'),
  });
  return async (ctx, next) => {
    const { partnerId, mode, apiRateLimitPerMinute: limit } = requireState(ctx, 'principal');
    const { isGranted, remaining, resetMs } = await takeFromLimit({
      partnerId,
      mode,
      limit,
    });
    const resetSeconds = secondsOf(resetMs);
    ctx.set('RateLimit-Policy', `"default";q=${limit};w=${windowSeconds}`);
    ctx.set('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (!isGranted) throw rateLimited(limit, resetSeconds);
    await next();
  };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
