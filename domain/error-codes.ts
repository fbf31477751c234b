/** Whether the same problem goes away: never, with the same request later, or after a change to the request or the set-up. */
export type Retry = 'NO' | 'LATER' | 'CHANGED';

export interface ErrorDescription {
  /** Of HTTP. */
  status: number;
  /** One sentence: what happened. */
  meaning: string;
  /** One or two sentences: what the caller does. */
  action: string;
  retry: Retry;
}

/**
 * Every error code that partners can receive (docs/integrate/errors.md). The reference, the page about errors, the type
 * of the TypeScript client and the portal's request log are made from this table.
 */
export const partnerErrors = {
  INVALID_JSON: {
    status: 400,
    meaning: 'The body is not valid JSON in UTF-8, or an object in it gives a name twice.',
    action: 'Send JSON in UTF-8 without a byte order mark, with each name once.',
    retry: 'CHANGED',
  },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field is missing, unknown or not valid.',
    action: 'Correct the fields that the message names.',
    retry: 'CHANGED',
  },
  FORBIDDEN_METADATA_FIELD: {
    status: 400,
    meaning: 'The metadata of a purchase contains one of your cost fields, such as margin.',
    action: 'Remove the field that the message names.',
    retry: 'CHANGED',
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    meaning: 'The Idempotency-Key header is missing.',
    action: 'Send one: a new key for each new request, and the same key for its retries.',
    retry: 'CHANGED',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    meaning: 'The Idempotency-Key is not 1 to 255 visible ASCII characters.',
    action: 'Use a shorter key, without spaces and special characters.',
    retry: 'CHANGED',
  },
  UNEXPECTED_QUERY: {
    status: 400,
    meaning: 'The URL has a query, or a parameter in it, that the endpoint does not take.',
    action: 'Send the request without it. Only lists take parameters.',
    retry: 'CHANGED',
  },
  AUTHENTICATION_MISSING: {
    status: 401,
    meaning: 'A header of the signature is missing.',
    action: 'Send the key, the timestamp and the signature. Check that no proxy removes them.',
    retry: 'CHANGED',
  },
  INVALID_API_KEY: {
    status: 401,
    meaning: 'The API key is unknown or revoked, or its secret has expired.',
    action: 'Use an active key. An owner can create one or rotate its secret in the portal.',
    retry: 'CHANGED',
  },
  INVALID_SIGNATURE: {
    status: 401,
    meaning: 'The signature does not match the request.',
    action:
      'Check the secret, and that you sign the exact bytes and the path that you send. The signature doctor in the portal shows what differs.',
    retry: 'CHANGED',
  },
  TIMESTAMP_OUT_OF_RANGE: {
    status: 401,
    meaning: 'The timestamp is more than 300 seconds from our clock, or not in whole seconds.',
    action: 'Set your clock, send seconds and not milliseconds, and sign again.',
    retry: 'CHANGED',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    meaning: 'The API key lacks the scope that the operation requires.',
    action: 'Use a key that has the scope. An owner can create one in the portal.',
    retry: 'CHANGED',
  },
  PARTNER_NOT_ACTIVE: {
    status: 403,
    meaning:
      'Your account is suspended or not live yet, or does not let customers redeem their points.',
    action:
      'LIVE requires go-live. An owner can allow redemptions in the portal. Otherwise, contact us.',
    retry: 'CHANGED',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'Nothing exists at this path, or the id is unknown in this mode.',
    action: 'Check the path, the id, and whether the key is for TEST or LIVE.',
    retry: 'CHANGED',
  },
  ORIGINAL_PURCHASE_NOT_FOUND: {
    status: 404,
    meaning: 'This integration reported no purchase with this order id in this mode.',
    action:
      'Report the purchase first. If it is on its way, send the same refund again once it is accepted.',
    retry: 'LATER',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path does not support the method.',
    action: 'Use a method that the Allow header lists.',
    retry: 'CHANGED',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: 'The body came too slowly, or the connection stalled. Nothing was recorded.',
    action:
      'Send the same request again, with the same Idempotency-Key if it has one. A longer body has more time.',
    retry: 'LATER',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'The Idempotency-Key was used before, for another request.',
    action:
      'Send the original bytes to get the stored response, or use a new key for a new request.',
    retry: 'CHANGED',
  },
  DUPLICATE_EXTERNAL_ORDER: {
    status: 409,
    meaning: 'The order was reported before, under another Idempotency-Key.',
    action: 'Nothing: the first report counts. The message names its event.',
    retry: 'NO',
  },
  DUPLICATE_EXTERNAL_REFUND: {
    status: 409,
    meaning: 'The refund was reported before, under another Idempotency-Key.',
    action:
      'Nothing, if it is the same refund. For a further refund of the order, use another externalRefundId.',
    retry: 'NO',
  },
  DUPLICATE_EXTERNAL_REDEMPTION: {
    status: 409,
    meaning: 'The redemption was reported before, under another Idempotency-Key.',
    action: 'Nothing: the first one counts. The message names its event.',
    retry: 'NO',
  },
  TOO_MANY_REFUNDS: {
    status: 409,
    meaning: 'The order has had 100 refunds, the most that are accepted.',
    action: 'Contact us if a further part of the order came back.',
    retry: 'NO',
  },
  REDEMPTION_ENDED: {
    status: 409,
    meaning:
      'The redemption has ended in another way, perhaps after the response that is asked for again.',
    action:
      'Nothing changed. The message says how it ended. To redeem again, use another externalRedemptionId.',
    retry: 'NO',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than 64 KiB, or a list of orders larger than 5 MiB.',
    action: 'Send less metadata, or the list in parts.',
    retry: 'CHANGED',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body has another media type, charset or encoding than the operation accepts.',
    action:
      'Send application/json in UTF-8 without compression; a list of orders as CSV or JSON lines.',
    retry: 'CHANGED',
  },
  NO_ACTIVE_EARNING_RULE: {
    status: 422,
    meaning: 'No earning rule is active in this mode.',
    action: 'Activate an earning rule in the portal, then send the same request again.',
    retry: 'CHANGED',
  },
  CURRENCY_MISMATCH: {
    status: 422,
    meaning: 'No active earning rule is in the currency of the order.',
    action: 'Use a currency that the message names, or activate an earning rule in this one.',
    retry: 'CHANGED',
  },
  REFUND_EXCEEDS_ORDER: {
    status: 422,
    meaning: 'The refund is of more than is left of the order.',
    action: 'Refund at most the amount that the message names.',
    retry: 'CHANGED',
  },
  INSUFFICIENT_POINTS: {
    status: 422,
    meaning:
      'The customer has too few points to redeem or has reached the daily limit, or less of a redemption is left to give back.',
    action: 'Ask for at most the points that the message names.',
    retry: 'CHANGED',
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'More requests arrived within a minute than your plan allows, or another list of orders is still being compared.',
    action: 'Wait as long as Retry-After says, then send the same request again.',
    retry: 'LATER',
  },
  INTERNAL: {
    status: 500,
    meaning: 'Something went wrong on our side.',
    action:
      'Send the same request again, with the same Idempotency-Key if it has one. If the error persists, give us the X-Request-Id.',
    retry: 'LATER',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'We could not respond in time, and the event may have been recorded.',
    action:
      'Wait as long as Retry-After says, then send the same request again, with the same Idempotency-Key if it has one.',
    retry: 'LATER',
  },
} as const satisfies Record<string, ErrorDescription>;

/** Further codes, which only the claim page, the operators' API and the portal return. */
export const otherErrors = {
  INVALID_ADMIN_TOKEN: {
    status: 401,
    meaning: 'The operator’s token is unknown, expired or revoked.',
    action: 'Use an active token. An operator can rotate their own.',
    retry: 'CHANGED',
  },
  INVALID_ACCESS_TOKEN: {
    status: 401,
    meaning: 'The access token is unknown, expired or revoked.',
    action: 'Create or rotate the token in the portal.',
    retry: 'CHANGED',
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'The role or the access token does not allow this, or another person has to do it.',
    action: 'Use a token with the scope and the mode, or ask somebody whose role allows it.',
    retry: 'CHANGED',
  },
  CONFLICT: {
    status: 409,
    meaning: 'The current state does not allow the operation.',
    action: 'Read the current state; the message says what prevents the operation.',
    retry: 'CHANGED',
  },
  PARTNER_SUSPENDED: {
    status: 409,
    meaning: 'The partner is suspended.',
    action: 'Lift the suspension, then send the same request again.',
    retry: 'LATER',
  },
  REWARD_NOT_CLAIMABLE: {
    status: 409,
    meaning: 'The reward is not funded yet, or was cancelled.',
    action: 'Claim it again later, if it was not cancelled.',
    retry: 'LATER',
  },
  CLAIM_EXPIRED: {
    status: 410,
    meaning: 'The claim window has ended.',
    action: 'Nothing: the reward has expired.',
    retry: 'NO',
  },
} as const satisfies Record<string, ErrorDescription>;

export type PartnerErrorCode = keyof typeof partnerErrors;
export type ErrorCode = PartnerErrorCode | keyof typeof otherErrors;
export const partnerErrorCodes = Object.keys(partnerErrors) as PartnerErrorCode[];
