import {
  type ErrorCode,
  type ErrorDescription,
  otherErrors,
  partnerErrors,
} from './error-codes.ts';

const errors: Record<ErrorCode, ErrorDescription> = { ...partnerErrors, ...otherErrors };

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
    this.status = errors[code].status;
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
    'The service cannot answer right now. Send the same request again.',
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

/** A request whose body came too slowly, or whose connection stalled: nothing was done. */
export function requestTimeout(): ServiceError {
  return new ServiceError(
    'REQUEST_TIMEOUT',
    'The request did not arrive in time, and nothing was recorded. Send the same request again.',
    { 'Retry-After': '1' },
  );
}
