import { setTimeout as delay } from 'node:timers/promises';
import { type RequestFault, requestFaultOf, retryAfterSecondsOf } from '../../domain/rehearsal.ts';
import { meetFault, noteRetry } from '../../models/rehearsals.ts';
import { sha256 } from '../../platform/hashing.ts';
import { type ApiContext, type ApiMiddleware, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** A slow response takes this long, or at most this part of the time limit of a response. */
const slow = { ms: 3_000, ofLimit: 0.6 } as const;

/**
 * Makes requests of a TEST key with a rehearsal fail once for each idempotency key (docs/integrate/testing.md, Rehearsals),
 * some instead of what they do and some after it; runs once the idempotency key is known. Whether there is a
 * rehearsal came with the credential, so that other requests pay nothing.
 */
export function rehearsed({
  models,
  config,
  now,
}: Pick<ApiDeps, 'models' | 'config' | 'now'>): ApiMiddleware {
  return async (ctx, next) => {
    const { partnerId, mode, rehearsal } = requireState(ctx, 'principal');
    const at = new Date(now());
    if (rehearsal === null || mode !== 'TEST' || rehearsal.endsAt <= at) return await next();
    const { rehearsalId, seed } = rehearsal;
    const of = { partnerId, rehearsalId };
    const { requestId } = ctx.state;
    const key = `${requireState(ctx, 'requestType')}/${requireState(ctx, 'idempotencyKeyHash')}`;
    const payloadHash = requireState(ctx, 'payloadHash');
    const fault = requestFaultOf(sha256(Buffer.from(`${seed}/${key}`)));
    if (fault === null) return await next();
    const retryAfterSeconds = retryAfterSecondsOf[fault];
    const faulty = { fault, requestId, key, payloadHash, retryAfterSeconds, at, retry: null };
    const meets = () => meetFault(models, of, faulty);
    const retried = (isRefused: boolean) =>
      noteRetry(models, of, { key, at, payloadHash, isRefused });

    if (fault === 'UNAVAILABLE' || fault === 'RATE_LIMITED') {
      if (await meets()) return refuse(ctx, fault);
    }
    try {
      await next();
    } catch (error) {
      await retried(true);
      throw error;
    }
    const isAfterwards = fault === 'LOST' || fault === 'SLOW';
    if (!isAfterwards || !(await meets())) return await retried(false);
    if (fault === 'SLOW') {
      await delay(Math.min(slow.ms, config.http.responseTimeoutMs * slow.ofLimit));
    } else {
      ctx.respond = false;
      ctx.req.socket.destroy();
    }
  };
}

/** Refuses as the service does, without being counted as a failure of it. */
function refuse(ctx: ApiContext, code: Exclude<RequestFault, 'LOST' | 'SLOW'>): void {
  const message =
    'A rehearsal refuses this request. Send the same request with the same Idempotency-Key again, after Retry-After.';
  ctx.state.code = 'REHEARSED';
  ctx.status = code === 'UNAVAILABLE' ? 503 : 429;
  ctx.set('Retry-After', String(retryAfterSecondsOf[code]));
  ctx.body = { error: { code, message } };
}
