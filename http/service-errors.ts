import { isGrpcServiceError, ServiceError as TemporalServiceError } from '@temporalio/client';
import { mongo } from 'mongoose';
import { ServiceError, unavailable } from '../domain/errors.ts';

/** What was thrown, as the one error that may cross a boundary: UNAVAILABLE where a server is out of reach. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isOutOfReach(thrown)) return unavailable();
  return new ServiceError(
    'INTERNAL',
    'Something went wrong on our side. You can send the request again with the same Idempotency-Key.',
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
    // What a write of several documents failed of is within the error that says so.
    (thrown instanceof mongo.MongoBulkWriteError && isOutOfReach(thrown.errorResponse)) ||
    thrown instanceof TemporalServiceError ||
    isGrpcServiceError(thrown)
  );
}
