import { ServiceError } from '../../domain/errors.ts';
import type { RequestHashes } from '../../platform/hashing.ts';
import { type ApiMiddleware, requireState } from '../context.ts';

/**
 * What a repeat is known by: the key, 1 to 255 visible ASCII characters, required on POST
 * (docs/contract.md, Requests), and the body. Only their hashes go on.
 */
export function idempotencyKey({ ofIdempotencyKey, ofPayload }: RequestHashes): ApiMiddleware {
  return async (ctx, next) => {
    const key = ctx.req.headers['idempotency-key'];
    if (key === undefined || key === '') {
      throw new ServiceError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'Send an Idempotency-Key header: one stable value for every retry of this request.',
      );
    }
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new ServiceError(
        'IDEMPOTENCY_KEY_INVALID',
        'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      );
    }
    ctx.state.idempotencyKeyHash = ofIdempotencyKey(key);
    ctx.state.payloadHash = ofPayload(requireState(ctx, 'rawBody'));
    await next();
  };
}
