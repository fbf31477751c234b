import { rateLimited } from '../../http/limit-by-address.ts';
import { takeFromRateLimit, windowMs } from '../../models/store/rate-limits.ts';
import type { ApiMiddleware } from '../context.ts';
import { requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { createRateLimiter } from '../rate-limits.ts';

const windowSeconds = windowMs / 1000;

/**
 * The plan's rate limit, which all of a partner's keys of one mode share (docs/contract.md, Rate
 * limits). All processes count in MongoDB, each taking a block of requests at a time.
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
