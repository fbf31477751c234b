import type { PartnerErrorCode } from '../../domain/errors.ts';

/** The outcome of a signed request. */
export type LogCode = PartnerErrorCode | 'ACCEPTED' | 'REPLAYED' | 'OK' | 'REHEARSED';

/** What each outcome means to the sender, and what to do about it. */
const codeWords: Record<LogCode, string> = {
  ACCEPTED: 'The event was recorded.',
  REPLAYED: 'A retry of a recorded request. It got the stored response and changed nothing.',
  OK: 'The request succeeded.',
  REHEARSED: 'A rehearsal refused it on purpose. The same request again succeeds.',
  INVALID_JSON: 'The body is not valid JSON. Send JSON in UTF-8.',
  VALIDATION_FAILED: 'A field is missing, unknown or not valid. The response named it.',
  FORBIDDEN_METADATA_FIELD: 'Metadata contained one of your cost fields. Remove it.',
  IDEMPOTENCY_KEY_REQUIRED: 'Send an Idempotency-Key: a new one for each new request.',
  IDEMPOTENCY_KEY_INVALID: 'The Idempotency-Key is not valid.',
  UNEXPECTED_QUERY: 'Signed requests accept no query string, since it would not be signed.',
  AUTHENTICATION_MISSING: 'A header of the signature is missing.',
  INVALID_API_KEY: 'The key is unknown or revoked.',
  INVALID_SIGNATURE: 'The signature does not match the request. The signature doctor shows why.',
  TIMESTAMP_OUT_OF_RANGE:
    'The timestamp is too far from our clock. Send seconds, not milliseconds.',
  INSUFFICIENT_SCOPE: 'The key lacks the permission. Use one that has it.',
  PARTNER_NOT_ACTIVE:
    'The account was not active in this mode. LIVE requires go-live. If you are already live, contact us.',
  NOT_FOUND: 'Nothing exists at this path.',
  ORIGINAL_PURCHASE_NOT_FOUND:
    'This integration reported no purchase of this order in this mode. Send it before its refund.',
  METHOD_NOT_ALLOWED: 'This path does not support the method.',
  IDEMPOTENCY_CONFLICT: 'The Idempotency-Key was used before with another body. Send a new one.',
  DUPLICATE_EXTERNAL_ORDER: 'This order was reported before, under another Idempotency-Key.',
  DUPLICATE_EXTERNAL_REFUND: 'This refund was reported before, under another Idempotency-Key.',
  DUPLICATE_EXTERNAL_REDEMPTION:
    'This redemption was reported before, under another Idempotency-Key.',
  REDEMPTION_ENDED: 'The redemption had already ended in another way. Nothing changed.',
  TOO_MANY_REFUNDS: 'The order has reached the limit of refunds.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'Send Content-Type: application/json.',
  NO_ACTIVE_EARNING_RULE: 'No earning rule was active in this mode. Activate one.',
  CURRENCY_MISMATCH: 'No active earning rule is in the currency of this order. Activate one.',
  REFUND_EXCEEDS_ORDER:
    'The refund was of more than is left of the order. The response named what is left.',
  INSUFFICIENT_POINTS: 'The customer has fewer points to spend. The response named how many.',
  RATE_LIMITED: 'More requests were sent within a minute than your plan allows. Retry later.',
  INTERNAL: 'Something went wrong on our side. Retry with the same Idempotency-Key.',
  UNAVAILABLE: 'We could not answer in time. Retry with the same Idempotency-Key.',
};

export const logCodes = Object.keys(codeWords) as LogCode[];

/** The explanation of a stored code; empty for a code no longer in use. */
export function wordsOfCode(code: string): string {
  const key = codeWords[code as LogCode];
  return key === undefined ? '' : key;
}
