import type { RateLimit } from './rate-limit.ts';

/** The service refused the request. */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError';
  readonly status: number;
  /** A code from the service's list of errors, or UNEXPECTED_RESPONSE if the response is not the service's. */
  readonly code: string;
  /** The service's id of this request; give it to the operators when you ask about it. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  /** The rest of the plan's rate limit, if the response contains it. */
  readonly rateLimit: RateLimit | undefined;
  /** A retry of the same POST must use the same key. */
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
 * No complete response arrived: the service was unreachable or too slow. The request may have been
 * carried out anyway; repeating the POST with the same key gives its result without doing it twice.
 */
export class PartnerNetworkError extends Error {
  override name = 'PartnerNetworkError';
  /** A retry of the same POST must use the same key. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, failure: { cause: unknown; idempotencyKey: string | undefined }) {
    super(message, { cause: failure.cause });
    this.idempotencyKey = failure.idempotencyKey;
  }
}
