import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../domain/errors.ts';
import { type Models, rateLimitCollection } from '../../models/schemas/index.ts';
import type { Logger } from '../../platform/logger.ts';
import { type ApiMiddleware, needed } from '../context.ts';

const windowSeconds = 60;

/**
 * At most this many requests a minute from one address, before anything is known about them. Each
 * process counts for itself: it protects the process.
 */
export function limitByAddress(perMinute: number): ApiMiddleware {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  return async (ctx, next) => {
    const result = await consume(limiter, ctx.ip);
    if (result.blocked) throw limited(perMinute, result.resetSeconds);
    await next();
  };
}

/**
 * The plan's limit per credential (contract, Rate limits). The count stands in MongoDB, so that one
 * limit holds across processes. Without the database each process counts for itself: the limiter
 * must not take the API down.
 */
export function limitByCredential(models: Models, log: Logger): ApiMiddleware {
  const limiters = new Map<number, RateLimiterMongo>();
  const limiterFor = (points: number): RateLimiterMongo => {
    const known = limiters.get(points);
    if (known) return known;
    const limiter = new RateLimiterMongo({
      storeClient: models.connection,
      dbName: models.connection.name,
      tableName: rateLimitCollection,
      points,
      duration: windowSeconds,
      disableIndexesCreation: true,
      insuranceLimiter: new RateLimiterMemory({ points, duration: windowSeconds }),
    });
    limiters.set(points, limiter);
    return limiter;
  };
  return async (ctx, next) => {
    const { credentialId, apiRateLimitPerMinute } = needed(ctx, 'principal');
    const result = await consume(limiterFor(apiRateLimitPerMinute), credentialId).catch((error) => {
      log.warn({ err: error }, 'the rate limiter failed; the request passes');
      return { blocked: false, remaining: apiRateLimitPerMinute, resetSeconds: windowSeconds };
    });
    ctx.set('RateLimit-Policy', `"default";q=${apiRateLimitPerMinute};w=${windowSeconds}`);
    ctx.set('RateLimit', `"default";r=${result.remaining};t=${result.resetSeconds}`);
    if (result.blocked) throw limited(apiRateLimitPerMinute, result.resetSeconds);
    await next();
  };
}

async function consume(limiter: RateLimiterMemory | RateLimiterMongo, key: string) {
  try {
    return read(await limiter.consume(key), false);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return read(outcome, true);
    throw outcome;
  }
}

function read({ remainingPoints, msBeforeNext }: RateLimiterRes, blocked: boolean) {
  return {
    blocked,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  };
}

function limited(perMinute: number, resetSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `More than ${perMinute} requests in a minute. Go on in ${resetSeconds} s.`,
    { 'Retry-After': String(resetSeconds) },
  );
}
