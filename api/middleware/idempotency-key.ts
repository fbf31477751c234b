import { ServiceError } from '../../domain/errors.ts';
import type { RequestHashes } from '../../platform/hashing.ts';
import { type ApiMiddleware, requireState } from '../context.ts';

/**
 * Requires an Idempotency-Key of 1 to 255 visible ASCII characters (docs/contract.md, Requests). Retries
 * are recognized by the key and the body, of which only the hashes are passed on.
 * @throws ServiceError IDEMPOTENCY_KEY_REQUIRED or IDEMPOTENCY_KEY_INVALID
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
