import type { RateLimit } from './rate-limit.ts';

// Made by `npm run make -- docs`.

/** The codes of the service's errors. */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'VALIDATION_FAILED'
  | 'FORBIDDEN_METADATA_FIELD'
  | 'IDEMPOTENCY_KEY_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'UNEXPECTED_QUERY'
  | 'AUTHENTICATION_MISSING'
  | 'INVALID_API_KEY'
  | 'INVALID_SIGNATURE'
  | 'TIMESTAMP_OUT_OF_RANGE'
  | 'INSUFFICIENT_SCOPE'
  | 'PARTNER_NOT_ACTIVE'
  | 'NOT_FOUND'
  | 'ORIGINAL_PURCHASE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'IDEMPOTENCY_CONFLICT'
  | 'DUPLICATE_EXTERNAL_ORDER'
  | 'DUPLICATE_EXTERNAL_REFUND'
  | 'DUPLICATE_EXTERNAL_REDEMPTION'
  | 'TOO_MANY_REFUNDS'
  | 'REDEMPTION_ENDED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'NO_ACTIVE_EARNING_RULE'
  | 'CURRENCY_MISMATCH'
  | 'REFUND_EXCEEDS_ORDER'
  | 'INSUFFICIENT_POINTS'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNAVAILABLE';

// End.

/** The service refused the request. */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError';
  readonly status: number;
  /** UNEXPECTED_RESPONSE if the response is not the service's. Codes can be added. */
  readonly code: ErrorCode | 'UNEXPECTED_RESPONSE' | (string & {});
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
