import { isGrpcServiceError, ServiceError as TemporalServiceError } from '@temporalio/client';
import { mongo } from 'mongoose';
import { ServiceError } from '../../domain/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiMiddleware } from '../context.ts';

/** How long a caller should wait before it asks an absent database or Temporal again. */
const retryAfterSeconds = 2;

/** Turns whatever is thrown into the one error shape (contract, Errors). */
export function errors(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) {
        log.error({ err: thrown, requestId: ctx.state.requestId, code: error.code }, error.message);
      }
      ctx.state.code = error.code;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = { error: { code: error.code, message: error.message } };
    }
  };
}

export function unavailable(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The service cannot answer right now. Send the same request with the same Idempotency-Key again.',
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isOutOfReach(thrown)) return unavailable();
  return new ServiceError(
    'INTERNAL',
    'Something went wrong here. The request may be sent again with the same Idempotency-Key.',
  );
}

/** The MongoDB driver passes these on as they are when a socket breaks while it writes. */
const brokenSocket = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);

function isOutOfReach(thrown: unknown): boolean {
  return (
    (thrown instanceof Error && brokenSocket.has(String((thrown as { code?: unknown }).code))) ||
    thrown instanceof mongo.MongoNetworkError ||
    thrown instanceof mongo.MongoServerSelectionError ||
    thrown instanceof mongo.MongoOperationTimeoutError ||
    thrown instanceof mongo.MongoNotConnectedError ||
    (thrown instanceof mongo.MongoError && thrown.hasErrorLabel('RetryableWriteError')) ||
    (thrown instanceof Error &&
      /^(MongooseServerSelection|MongoWaitQueueTimeout)Error$/.test(thrown.name)) ||
    thrown instanceof TemporalServiceError ||
    isGrpcServiceError(thrown)
  );
}
