import { ServiceError } from '../../domain/errors.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { ApiMiddleware } from '../context.ts';

/** 1 to 255 visible ASCII characters, required on POST (contract, Requests). Only its hash goes on. */
export const idempotencyKey: ApiMiddleware = async (ctx, next) => {
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
  ctx.state.idempotencyKeyHash = sha256Hex(key);
  await next();
};
