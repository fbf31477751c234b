import type { PartnerErrorCode } from '../../domain/errors.ts';

/** How a signed request came out. */
export type LogCode = PartnerErrorCode | 'ACCEPTED' | 'REPLAYED' | 'OK';

/** What each outcome means, and what to do about it, to who sent the request. */
const codeWords: Record<LogCode, string> = {
  ACCEPTED: 'It was recorded and answered.',
  REPLAYED: 'A repeat of a recorded request: it got the first answer, and changed nothing.',
  OK: 'It was read and answered.',
  INVALID_JSON: 'The body is no JSON. Send it as UTF-8, once encoded.',
  VALIDATION_FAILED: 'A field is missing, unknown or of the wrong form. The answer named it.',
  FORBIDDEN_METADATA_FIELD: 'Metadata carried a field of what the order cost you. Leave it out.',
  IDEMPOTENCY_KEY_REQUIRED: 'Send an Idempotency-Key: a new one for each new request.',
  IDEMPOTENCY_KEY_INVALID: 'The Idempotency-Key is not of the form that is asked for.',
  UNEXPECTED_QUERY: 'These requests take no query string: it would not be signed.',
  AUTHENTICATION_MISSING: 'A header of the signature is missing.',
  INVALID_API_KEY: 'The key is unknown or revoked.',
  INVALID_SIGNATURE:
    'The signature is not the one that we make of the same request. The signature doctor compares the two.',
  TIMESTAMP_OUT_OF_RANGE:
    'The timestamp is too far from our clock. Send seconds, not milliseconds.',
  INSUFFICIENT_SCOPE: 'The key can not do this. Use one that may.',
  PARTNER_NOT_ACTIVE:
    'The partner was not active in this mode: LIVE begins with go-live. Else ask an operator.',
  NOT_FOUND: 'Nothing exists at this path.',
  ORIGINAL_PURCHASE_NOT_FOUND:
    'This integration reported no purchase of this order in this mode. Send it before its refund.',
  METHOD_NOT_ALLOWED: 'The path is right and the method is not.',
  IDEMPOTENCY_CONFLICT: 'The Idempotency-Key was used before with another body. Send a new one.',
  DUPLICATE_EXTERNAL_ORDER: 'This order was reported before, under another Idempotency-Key.',
  DUPLICATE_EXTERNAL_REFUND: 'This refund was reported before, under another Idempotency-Key.',
  TOO_MANY_REFUNDS: 'The order has as many refunds as one may have.',
  PAYLOAD_TOO_LARGE: 'The body is larger than a request may be.',
  UNSUPPORTED_MEDIA_TYPE: 'Send Content-Type: application/json.',
  NO_ACTIVE_EARNING_RULE: 'No earning rule was active in this mode. Activate one.',
  CURRENCY_MISMATCH: 'No active earning rule is in the currency of this order. Activate one.',
  RATE_LIMITED: 'There were more requests in the minute than your plan allows. Retry later.',
  INTERNAL: 'Something went wrong on our side. Retry with the same Idempotency-Key.',
  UNAVAILABLE: 'We could not answer in time. Retry with the same Idempotency-Key.',
};

export const logCodes = Object.keys(codeWords) as LogCode[];

/** What a stored code means; nothing of one that is no longer known. */
export const wordsOfCode = (code: string): string => codeWords[code as LogCode] ?? '';
