import type { PartnerErrorCode } from '../../domain/errors.ts';
import { say } from './say.ts';

/** How a signed request came out. */
export type LogCode = PartnerErrorCode | 'ACCEPTED' | 'REPLAYED' | 'OK';

/** What each outcome means, and what to do about it, to who sent the request. */
const codeWords = (): Record<LogCode, string> => ({
  ACCEPTED: say('log.code.accepted'),
  REPLAYED: say('log.code.replayed'),
  OK: say('log.code.ok'),
  INVALID_JSON: say('log.code.invalidJson'),
  VALIDATION_FAILED: say('log.code.validationFailed'),
  FORBIDDEN_METADATA_FIELD: say('log.code.forbiddenMetadataField'),
  IDEMPOTENCY_KEY_REQUIRED: say('log.code.idempotencyKeyRequired'),
  IDEMPOTENCY_KEY_INVALID: say('log.code.idempotencyKeyInvalid'),
  UNEXPECTED_QUERY: say('log.code.unexpectedQuery'),
  AUTHENTICATION_MISSING: say('log.code.authenticationMissing'),
  INVALID_API_KEY: say('log.code.invalidApiKey'),
  INVALID_SIGNATURE: say('log.code.invalidSignature'),
  TIMESTAMP_OUT_OF_RANGE: say('log.code.timestampOutOfRange'),
  INSUFFICIENT_SCOPE: say('log.code.insufficientScope'),
  PARTNER_NOT_ACTIVE: say('log.code.partnerNotActive'),
  NOT_FOUND: say('log.code.notFound'),
  ORIGINAL_PURCHASE_NOT_FOUND: say('log.code.originalPurchaseNotFound'),
  METHOD_NOT_ALLOWED: say('log.code.methodNotAllowed'),
  IDEMPOTENCY_CONFLICT: say('log.code.idempotencyConflict'),
  DUPLICATE_EXTERNAL_ORDER: say('log.code.duplicateExternalOrder'),
  DUPLICATE_EXTERNAL_REFUND: say('log.code.duplicateExternalRefund'),
  TOO_MANY_REFUNDS: say('log.code.tooManyRefunds'),
  PAYLOAD_TOO_LARGE: say('log.code.payloadTooLarge'),
  UNSUPPORTED_MEDIA_TYPE: say('log.code.unsupportedMediaType'),
  NO_ACTIVE_EARNING_RULE: say('log.code.noActiveEarningRule'),
  CURRENCY_MISMATCH: say('log.code.currencyMismatch'),
  RATE_LIMITED: say('log.code.rateLimited'),
  INTERNAL: say('log.code.internal'),
  UNAVAILABLE: say('log.code.unavailable'),
});

export const logCodes = Object.keys(codeWords()) as LogCode[];

/** What a stored code means; nothing of one that is no longer known. */
export const wordsOfCode = (code: string): string => codeWords()[code as LogCode] ?? '';
