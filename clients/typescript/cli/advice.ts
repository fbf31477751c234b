/** What the user of the command can do about an error, by its code. */
const advice: Record<string, string> = {
  VALIDATION_FAILED: 'Correct the named fields and run the command again.',
  FORBIDDEN_METADATA_FIELD: 'Leave the named field out of --metadata.',
  IDEMPOTENCY_KEY_INVALID: 'Give --key 1 to 255 visible ASCII characters.',
  AUTHENTICATION_MISSING: "Check --brand: the header names must carry the service's brand word.",
  INVALID_API_KEY: 'Check --api-key (or PARTNER_KEY): it is unknown here, or revoked.',
  INVALID_SIGNATURE: 'Check --secret (or PARTNER_SECRET): it does not belong to this API key.',
  TIMESTAMP_OUT_OF_RANGE: "Set this machine's clock; it can be off by at most 300 seconds.",
  INVALID_ACCESS_TOKEN:
    'Create one on your account page in the portal, and set PARTNER_TOKEN to it.',
  FORBIDDEN: 'An owner of your team can change your role.',
  INSUFFICIENT_SCOPE: 'Use a credential with the scope that the message names.',
  PARTNER_NOT_ACTIVE: "Ask the service's operators to activate the partner.",
  NOT_FOUND: 'Check the address (--url, or --portal), and any id that you gave.',
  ORIGINAL_PURCHASE_NOT_FOUND:
    'Check --order, and that the purchase was sent in the same mode. If it is still on its way, run the same command again once it is accepted.',
  IDEMPOTENCY_CONFLICT:
    'It was reported with other data before. Repeat that command unchanged, or report it under an --order, or a --refund-id, of its own.',
  DUPLICATE_EXTERNAL_ORDER: 'The order is already recorded. A new purchase needs another --order.',
  DUPLICATE_EXTERNAL_REFUND:
    'The refund is already recorded. Another one needs its own --refund-id.',
  DUPLICATE_EXTERNAL_REDEMPTION:
    'The redemption is already recorded. Another one needs its own --redemption.',
  REDEMPTION_ENDED: 'It has ended already. Redeem again, under an id of its own.',
  INSUFFICIENT_POINTS: 'Redeem at most what the message names.',
  NO_ACTIVE_EARNING_RULE: 'Create and activate an earning rule for this mode.',
  CURRENCY_MISMATCH: 'Use the currency of an active earning rule, or activate a rule for this one.',
  REFUND_EXCEEDS_ORDER: 'Give --amount at most what is left of the order.',
  RATE_LIMITED: 'Wait, then run the same command again.',
  INTERNAL: 'Run the same command again. If it fails again, quote the request id to the operators.',
  UNAVAILABLE: 'Run the same command again in a moment; nothing is done twice.',
};

/** @returns a sentence, or undefined if the service's message is enough */
export function adviceFor(code: string): string | undefined {
  return advice[code];
}
