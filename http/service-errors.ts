import { isGrpcServiceError, ServiceError as TemporalServiceError } from '@temporalio/client';
import { mongo } from 'mongoose';
import { ServiceError, unavailable } from '../domain/errors.ts';

/**
 * Converts anything thrown into a ServiceError: UNAVAILABLE if MongoDB or Temporal could not be reached,
 * INTERNAL for every other error that is not a ServiceError already.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isUnreachable(thrown)) return unavailable();
  return new ServiceError(
    'INTERNAL',
    'Something went wrong on our side. You can send the request again with the same Idempotency-Key.',
  );
}

/** The MongoDB driver throws these unchanged if a socket breaks during a write. */
const brokenSocket = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);

function isUnreachable(thrown: unknown): boolean {
  return (
    (thrown instanceof Error && brokenSocket.has(String((thrown as { code?: unknown }).code))) ||
    thrown instanceof mongo.MongoNetworkError ||
    thrown instanceof mongo.MongoServerSelectionError ||
    thrown instanceof mongo.MongoOperationTimeoutError ||
    thrown instanceof mongo.MongoNotConnectedError ||
    (thrown instanceof mongo.MongoError && thrown.hasErrorLabel('RetryableWriteError')) ||
    (thrown instanceof Error &&
      /^(MongooseServerSelection|MongoWaitQueueTimeout)Error$/.test(thrown.name)) ||
    // A bulk write's error wraps its cause.
    (thrown instanceof mongo.MongoBulkWriteError && isUnreachable(thrown.errorResponse)) ||
    thrown instanceof TemporalServiceError ||
    isGrpcServiceError(thrown)
  );
}
