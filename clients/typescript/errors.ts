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

/** What every method of the client throws: a refusal is a `PartnerApiError`, no response a `ConnectionError`. */
export class PartnerError extends Error {
  override name = 'PartnerError';
  /** A retry of the same POST must use the same key. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, idempotencyKey: string | undefined, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** What a refusal says. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  rateLimit: RateLimit | undefined;
  idempotencyKey: string | undefined;
}

/** The service refused the request; each kind of refusal has a class. */
export class PartnerApiError extends PartnerError {
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

  constructor(refusal: Refusal) {
    super(refusal.message, refusal.idempotencyKey);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
    this.rateLimit = refusal.rateLimit;
  }
}

/** 400, 405, 413, 415: the request itself is wrong; correct it. */
export class InvalidRequestError extends PartnerApiError {
  override name = 'InvalidRequestError';
}

/** 401: the key, the signature or the clock is wrong. */
export class AuthenticationError extends PartnerApiError {
  override name = 'AuthenticationError';
}

/** 403: the key lacks a scope, or the partner is not active. */
export class PermissionDeniedError extends PartnerApiError {
  override name = 'PermissionDeniedError';
}

/** 404: there is no such order, reward or redemption in the key's mode. */
export class NotFoundError extends PartnerApiError {
  override name = 'NotFoundError';
}

/** 409: it was reported before in another way, or has ended. */
export class ConflictError extends PartnerApiError {
  override name = 'ConflictError';
}

/** 422: it is understood, and cannot be done, such as too few points. */
export class UnprocessableError extends PartnerApiError {
  override name = 'UnprocessableError';
}

/** 429: above the rate limit, also after the last attempt. */
export class RateLimitError extends PartnerApiError {
  override name = 'RateLimitError';
}

/** 408, 5xx: the service could not do it, also after the last attempt; send the same again later. */
export class UnavailableError extends PartnerApiError {
  override name = 'UnavailableError';
}

/** The response is not the service's: check the base URL, and what is in between. */
export class UnexpectedResponseError extends PartnerApiError {
  override name = 'UnexpectedResponseError';
}

const kinds: Record<number, new (refusal: Refusal) => PartnerApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: InvalidRequestError,
  408: UnavailableError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error of a refusal's kind. */
export function errorOf(refusal: Refusal): PartnerApiError {
  if (refusal.code === 'UNEXPECTED_RESPONSE') return new UnexpectedResponseError(refusal);
  const ofStatus = refusal.status >= 500 ? UnavailableError : PartnerApiError;
  return new (kinds[refusal.status] ?? ofStatus)(refusal);
}

/**
 * No complete response arrived: the service was unreachable or too slow. The request may have been
 * carried out anyway; repeating the POST with the same key gives its result without doing it twice.
 */
export class ConnectionError extends PartnerError {
  override name = 'ConnectionError';

  constructor(message: string, failure: { cause: unknown; idempotencyKey: string | undefined }) {
    super(message, failure.idempotencyKey, failure.cause);
  }
}
