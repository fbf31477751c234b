import type { PartnerErrorCode } from '../../domain/errors.ts';
import { type PlainKey, say } from './say.ts';

/** The outcome of a signed request. */
export type LogCode = PartnerErrorCode | 'ACCEPTED' | 'REPLAYED' | 'OK';

/** What each outcome means to the sender, and what to do about it. */
const codeWords: Record<LogCode, PlainKey> = {
  ACCEPTED: 'log.code.accepted',
  REPLAYED: 'log.code.replayed',
  OK: 'log.code.ok',
  INVALID_JSON: 'log.code.invalidJson',
  VALIDATION_FAILED: 'log.code.validationFailed',
  FORBIDDEN_METADATA_FIELD: 'log.code.forbiddenMetadataField',
  IDEMPOTENCY_KEY_REQUIRED: 'log.code.idempotencyKeyRequired',
  IDEMPOTENCY_KEY_INVALID: 'log.code.idempotencyKeyInvalid',
  UNEXPECTED_QUERY: 'log.code.unexpectedQuery',
  AUTHENTICATION_MISSING: 'log.code.authenticationMissing',
  INVALID_API_KEY: 'log.code.invalidApiKey',
  INVALID_SIGNATURE: 'log.code.invalidSignature',
  TIMESTAMP_OUT_OF_RANGE: 'log.code.timestampOutOfRange',
  INSUFFICIENT_SCOPE: 'log.code.insufficientScope',
  PARTNER_NOT_ACTIVE: 'log.code.partnerNotActive',
  NOT_FOUND: 'log.code.notFound',
  ORIGINAL_PURCHASE_NOT_FOUND: 'log.code.originalPurchaseNotFound',
  METHOD_NOT_ALLOWED: 'log.code.methodNotAllowed',
  IDEMPOTENCY_CONFLICT: 'log.code.idempotencyConflict',
  DUPLICATE_EXTERNAL_ORDER: 'log.code.duplicateExternalOrder',
  DUPLICATE_EXTERNAL_REFUND: 'log.code.duplicateExternalRefund',
  TOO_MANY_REFUNDS: 'log.code.tooManyRefunds',
  PAYLOAD_TOO_LARGE: 'log.code.payloadTooLarge',
  UNSUPPORTED_MEDIA_TYPE: 'log.code.unsupportedMediaType',
  NO_ACTIVE_EARNING_RULE: 'log.code.noActiveEarningRule',
  CURRENCY_MISMATCH: 'log.code.currencyMismatch',
  RATE_LIMITED: 'log.code.rateLimited',
  INTERNAL: 'log.code.internal',
  UNAVAILABLE: 'log.code.unavailable',
};

export const logCodes = Object.keys(codeWords) as LogCode[];

/** The explanation of a stored code; empty for a code no longer in use. */
export function wordsOfCode(code: string): string {
  const key = codeWords[code as LogCode];
  return key === undefined ? '' : say(key);
}
