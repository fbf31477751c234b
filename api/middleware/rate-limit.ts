import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../domain/errors.ts';
import { takePermits, windowMs } from '../../models/rate-limits.ts';
import { callerOf } from '../../platform/addresses.ts';
import type { ApiMiddleware } from '../context.ts';
import { needed } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { createPermits } from '../permits.ts';

const windowSeconds = windowMs / 1000;
/** The address heard of longest ago is forgotten for a new one past this, so that memory lasts. */
const maxAddresses = 50_000;

/**
 * At most this many requests a minute from one address, before anything is known about them. Each
 * process counts for itself: it protects the process.
 * @param elapsedMs milliseconds that only go forward, from any beginning
 */
export function limitByAddress(
  perMinute: number,
  { tableSize = maxAddresses, elapsedMs = () => performance.now() } = {},
): ApiMiddleware {
  const windows = new LRUCache<string, { count: number; endsAtMs: number }>({ max: tableSize });
  return async (ctx, next) => {
    const caller = callerOf(ctx.state.address);
    const nowMs = elapsedMs();
    let window = windows.get(caller);
    if (!window || nowMs >= window.endsAtMs) {
      window = { count: 0, endsAtMs: nowMs + windowMs };
      windows.set(caller, window);
    }
    window.count++;
    if (window.count > perMinute) throw limited(perMinute, secondsOf(window.endsAtMs - nowMs));
    await next();
  };
}

/**
 * The plan's limit per credential (contract, Rate limits), shared by all processes through MongoDB
 * and taken in blocks of permits.
 */
export function limitByCredential({ models, log }: Pick<ApiDeps, 'models' | 'log'>): ApiMiddleware {
  const permits = createPermits({
    takeBlock: (request) => takePermits(models, request),
    elapsedMs: () => performance.now(),
    onFailure: (error) =>
      log.warn({ err: error }, 'the rate limiter failed; this process counts for itself'),
  });
  return async (ctx, next) => {
    const { partnerId, credentialId, apiRateLimitPerMinute: limit } = needed(ctx, 'principal');
    const { isGranted, remaining, resetMs } = await permits({ partnerId, credentialId, limit });
    const resetSeconds = secondsOf(resetMs);
    ctx.set('RateLimit-Policy', `"default";q=${limit};w=${windowSeconds}`);
    ctx.set('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (!isGranted) throw limited(limit, resetSeconds);
    await next();
  };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function limited(perMinute: number, resetSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `More than ${perMinute} requests in a minute. Go on in ${resetSeconds} s.`,
    { 'Retry-After': String(resetSeconds) },
  );
}
