import { rateLimited } from '../../http/limit-by-address.ts';
import { takePermits, windowMs } from '../../models/rate-limits.ts';
import type { ApiMiddleware } from '../context.ts';
import { needed } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { createPermits } from '../permits.ts';

const windowSeconds = windowMs / 1000;

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
    if (!isGranted) throw rateLimited(limit, resetSeconds);
    await next();
  };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
