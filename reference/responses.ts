import { refusal, refusedForNow } from './refusal.ts';

export const BadEvent = refusal(
  'The request cannot be read, or a field is not valid; the message names it.',
  'INVALID_JSON',
  'VALIDATION_FAILED',
  'FORBIDDEN_METADATA_FIELD',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'UNEXPECTED_QUERY',
);

export const BadList = refusal(
  'The list cannot be read; the message names the rows that are wrong.',
  'VALIDATION_FAILED',
  'UNEXPECTED_QUERY',
);

export const NotList = refusal(
  'The list is neither CSV nor JSON lines in UTF-8, or has a `Content-Encoding`.',
  'UNSUPPORTED_MEDIA_TYPE',
);

export const UnexpectedQuery = refusal(
  'This endpoint accepts no query string, since it would not be signed.',
  'UNEXPECTED_QUERY',
);

export const InvalidInput = refusal(
  'The body or a parameter is not valid; the message names it.',
  'INVALID_JSON',
  'VALIDATION_FAILED',
);

export const NotAuthenticated = refusal(
  'The signature is missing or not valid.',
  'AUTHENTICATION_MISSING',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'TIMESTAMP_OUT_OF_RANGE',
);

export const InvalidAdminToken = refusal(
  'The bearer token is missing or not active.',
  'AUTHENTICATION_MISSING',
  'INVALID_ADMIN_TOKEN',
);

export const InvalidQuery = refusal(
  'A parameter is not valid; the message names it.',
  'VALIDATION_FAILED',
);

export const InvalidAccessToken = refusal(
  'The token is unknown, revoked or expired.',
  'INVALID_ACCESS_TOKEN',
);

export const NotReadable = refusal(
  'The token lacks the scope or is for the other mode, or the partner is suspended.',
  'FORBIDDEN',
  'PARTNER_NOT_ACTIVE',
);

export const NotAllowedToProgram = refusal(
  "The token is a service account's, its user's role does not allow this, or it would change LIVE; or the partner is suspended.",
  'FORBIDDEN',
  'PARTNER_NOT_ACTIVE',
);

export const Forbidden = refusal(
  "The operator's role does not have the permission, or another operator has to do this.",
  'FORBIDDEN',
);

export const NotAuthorized = refusal(
  'The API key lacks the scope, or your account is suspended, not live, or does not allow redemptions.',
  'INSUFFICIENT_SCOPE',
  'PARTNER_NOT_ACTIVE',
);

export const NotFound = refusal('Nothing with this id exists in the mode of the key.', 'NOT_FOUND');

export const NoOriginalPurchase = refusal(
  'This integration reported no purchase with this order id in this mode. If it is on its way, send the same refund again once it is accepted.',
  'ORIGINAL_PURCHASE_NOT_FOUND',
);

export const PurchaseConflict = refusal(
  'The `Idempotency-Key` was used with another body, or the order was reported under another one.',
  'IDEMPOTENCY_CONFLICT',
  'DUPLICATE_EXTERNAL_ORDER',
);

export const BadQuery = refusal(
  'A parameter is not valid, or the list does not have it; the message names it.',
  'VALIDATION_FAILED',
  'UNEXPECTED_QUERY',
);

export const BadQuestion = refusal(
  'The body is not valid, or there is a query string.',
  'INVALID_JSON',
  'VALIDATION_FAILED',
  'UNEXPECTED_QUERY',
);

export const BadAction = refusal(
  'The `Idempotency-Key` or the body is not valid, or there is a query string.',
  'INVALID_JSON',
  'VALIDATION_FAILED',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'UNEXPECTED_QUERY',
);

export const RedemptionConflict = refusal(
  'The `Idempotency-Key` was used with another body, the redemption was reported under another one, or it has ended since.',
  'IDEMPOTENCY_CONFLICT',
  'DUPLICATE_EXTERNAL_REDEMPTION',
  'REDEMPTION_ENDED',
);

export const CannotEndRedemption = refusal(
  'The `Idempotency-Key` was used for another redemption, or this one has ended in another way.',
  'IDEMPOTENCY_CONFLICT',
  'REDEMPTION_ENDED',
);

export const TooFewPoints = refusal(
  'The customer has too few points, or has reached your daily limit; the message names what can be redeemed.',
  'INSUFFICIENT_POINTS',
);

export const TooMuchBack = refusal(
  'The part is more than is left of the redemption; the message names what is left.',
  'INSUFFICIENT_POINTS',
);

export const RefundConflict = refusal(
  'The `Idempotency-Key` was used with another body, the refund was reported under another one, or the order has had 100 refunds.',
  'IDEMPOTENCY_CONFLICT',
  'DUPLICATE_EXTERNAL_REFUND',
  'TOO_MANY_REFUNDS',
);

export const Conflict = refusal(
  'The current state does not allow this; the message says why.',
  'CONFLICT',
);

export const CannotCorrect = refusal(
  'The reward is no longer open, its contact was corrected before or is this one, or the partner is suspended.',
  'CONFLICT',
  'PARTNER_SUSPENDED',
);

export const CannotReinstate = refusal(
  'No refund cancelled the reward before it was claimed, its claim window is over, or the partner is suspended.',
  'CONFLICT',
  'PARTNER_SUSPENDED',
);

export const CannotRedeem = refusal(
  'The customer has too few points, the reference belongs to another redemption, or the partner is suspended.',
  'CONFLICT',
  'PARTNER_SUSPENDED',
);

export const NotClaimable = refusal(
  'The reward is not funded yet or was cancelled, or the partner is suspended.',
  'REWARD_NOT_CLAIMABLE',
  'PARTNER_SUSPENDED',
);

export const ClaimExpired = refusal('The claim window has ended.', 'CLAIM_EXPIRED');

export const RequestTimeout = refusedForNow(
  'The body came too slowly. Send the same request again.',
  'REQUEST_TIMEOUT',
);

export const TooLarge = refusal(
  'The body is larger than 64 KiB, or a list of orders larger than 5 MiB.',
  'PAYLOAD_TOO_LARGE',
);

export const NotJson = refusal(
  'The body is not `application/json` in UTF-8.',
  'UNSUPPORTED_MEDIA_TYPE',
);

export const NoRule = refusal(
  'No earning rule is active for this mode and currency.',
  'NO_ACTIVE_EARNING_RULE',
  'CURRENCY_MISMATCH',
);

export const RefundTooLarge = refusal(
  'The refund is of more than is left of the order; the message names what is left.',
  'REFUND_EXCEEDS_ORDER',
);

export const RateLimited = refusedForNow(
  'Too many requests within a minute, or another list of orders is being compared. Wait as long as `Retry-After` says.',
  'RATE_LIMITED',
);

export const Internal = refusal(
  'Something went wrong on our side. Send the same request again.',
  'INTERNAL',
);

export const Unavailable = refusedForNow(
  'We could not respond in time. Send the same request again.',
  'UNAVAILABLE',
);
