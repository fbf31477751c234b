/** Every error code that partners can receive, with its HTTP status (docs/contract.md, Errors). */
export const partnerErrorStatus = {
  INVALID_JSON: 400,
  VALIDATION_FAILED: 400,
  FORBIDDEN_METADATA_FIELD: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  IDEMPOTENCY_KEY_INVALID: 400,
  UNEXPECTED_QUERY: 400,
  AUTHENTICATION_MISSING: 401,
  INVALID_API_KEY: 401,
  INVALID_SIGNATURE: 401,
  TIMESTAMP_OUT_OF_RANGE: 401,
  INSUFFICIENT_SCOPE: 403,
  PARTNER_NOT_ACTIVE: 403,
  NOT_FOUND: 404,
  ORIGINAL_PURCHASE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  IDEMPOTENCY_CONFLICT: 409,
  DUPLICATE_EXTERNAL_ORDER: 409,
  DUPLICATE_EXTERNAL_REFUND: 409,
  DUPLICATE_EXTERNAL_REDEMPTION: 409,
  TOO_MANY_REFUNDS: 409,
  REDEMPTION_ENDED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NO_ACTIVE_EARNING_RULE: 422,
  CURRENCY_MISMATCH: 422,
  REFUND_EXCEEDS_ORDER: 422,
  INSUFFICIENT_POINTS: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

/** Further codes, which only the claim page, the operators' API and the portal return. */
export const otherErrorStatus = {
  INVALID_ADMIN_TOKEN: 401,
  INVALID_ACCESS_TOKEN: 401,
  FORBIDDEN: 403,
  CONFLICT: 409,
  PARTNER_SUSPENDED: 409,
  REWARD_NOT_CLAIMABLE: 409,
  CLAIM_EXPIRED: 410,
} as const;

export type PartnerErrorCode = keyof typeof partnerErrorStatus;
export const partnerErrorCodes = Object.keys(partnerErrorStatus) as PartnerErrorCode[];
export type ErrorCode = PartnerErrorCode | keyof typeof otherErrorStatus;

const errorStatus: Record<ErrorCode, number> = { ...partnerErrorStatus, ...otherErrorStatus };

/**
 * The only error that crosses a boundary: a code of the table, a message that says what to do, and
 * headers that the response must carry (`Retry-After`, `Allow`).
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The problem of each field, where known; the message names them all. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    headers: Record<string, string> = {},
    fields: Record<string, string> = {},
  ) {
    super(message);
    this.code = code;
    this.status = errorStatus[code];
    this.headers = headers;
    this.fields = fields;
  }
}

/**
 * @param problems by field, each a sentence that begins with its field and names other fields in plain words,
 *   so that a form can show it beside the field
 */
export function invalidFields(problems: Record<string, string>): ServiceError {
  const message = Object.values(problems).join('; ');
  return new ServiceError('VALIDATION_FAILED', message, {}, problems);
}

/** How long a caller should wait before retrying while the database or Temporal is unavailable. */
const retryAfterSeconds = 2;

export function unavailable(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The service cannot answer right now. Send the same request with the same Idempotency-Key again.',
    { 'Retry-After': String(retryAfterSeconds) },
  );
}
