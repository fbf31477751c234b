import { rateLimited } from '../../http/limit-by-address.ts';
import { takeFromRateLimit, windowMs } from '../../models/store/rate-limits.ts';
import type { ApiMiddleware } from '../context.ts';
import { requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { createRateLimiter } from '../rate-limits.ts';

const windowSeconds = windowMs / 1000;

/**
 * The plan's limit on a partner's keys of one mode together (docs/contract.md, Rate limits), shared by
 * all processes through MongoDB and taken in blocks of permits.
 */
export function limitByPartner({ models, log }: Pick<ApiDeps, 'models' | 'log'>): ApiMiddleware {
  const takeFromLimit = createRateLimiter({
    takeBlock: (request) => takeFromRateLimit(models, request),
    elapsedMs: () => performance.now(),
    onFailure: (error) =>
      log.warn({ err: error }, 'the rate limiter failed; this process counts for itself'),
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
