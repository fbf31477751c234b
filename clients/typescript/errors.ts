import type { RateLimit } from './rate-limit.ts';

/** The service answered, and refused. */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError';
  readonly status: number;
  /** A code of the service's list of errors, or UNEXPECTED_RESPONSE for an answer that is not the service's. */
  readonly code: string;
  /** The service's name for this request, to quote to its operators. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;
  /** What is left of the plan's rate limit, where the answer says so. */
  readonly rateLimit: RateLimit | undefined;
  /** A later try of the same POST must use the same key. */
  readonly idempotencyKey: string | undefined;

  constructor(refusal: {
    status: number;
    code: string;
    message: string;
    requestId: string | undefined;
    retryAfterMs: number | undefined;
    rateLimit: RateLimit | undefined;
    idempotencyKey: string | undefined;
  }) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
    this.rateLimit = refusal.rateLimit;
    this.idempotencyKey = refusal.idempotencyKey;
  }
}

/**
 * No complete answer came: the service was out of reach or too slow. The request may have been
 * carried out all the same; the same POST with the same key finds out without doing it twice.
 */
export class PartnerNetworkError extends Error {
  override name = 'PartnerNetworkError';
  /** A later try of the same POST must use the same key. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, failure: { cause: unknown; idempotencyKey: string | undefined }) {
    super(message, { cause: failure.cause });
    this.idempotencyKey = failure.idempotencyKey;
  }
}
