/** What a person at the command can do about a code of the contract's error table. */
const advice: Record<string, string> = {
  VALIDATION_FAILED: 'Correct the named field and run the command again.',
  FORBIDDEN_METADATA_FIELD: 'Leave the named field out of --metadata.',
  IDEMPOTENCY_KEY_INVALID: 'Give --key 1 to 255 visible ASCII characters.',
  AUTHENTICATION_MISSING: "Check --brand: the header names must carry the service's brand word.",
  INVALID_API_KEY: 'Check --api-key (or PARTNER_KEY): it is unknown here, or revoked.',
  INVALID_SIGNATURE: 'Check --secret (or PARTNER_SECRET): it does not belong to this API key.',
  TIMESTAMP_OUT_OF_RANGE: "Set this machine's clock; it may be 300 seconds off at most.",
  INVALID_ACCESS_TOKEN:
    'Make one on the page of your account in the portal; give it as PARTNER_TOKEN.',
  FORBIDDEN: 'An owner of your team can change your role.',
  INSUFFICIENT_SCOPE: 'Use a credential with the scope that the message names.',
  PARTNER_NOT_ACTIVE: "Ask the service's operators to activate the partner.",
  NOT_FOUND: 'Check --url (or PARTNER_URL): there is no such endpoint there.',
  ORIGINAL_PURCHASE_NOT_FOUND: 'Check --order, and that the purchase was sent in the same mode.',
  IDEMPOTENCY_CONFLICT:
    'This key was used with other data. Repeat the first command unchanged, or give another --key.',
  DUPLICATE_EXTERNAL_ORDER: 'The order is recorded already. A new purchase needs another --order.',
  DUPLICATE_EXTERNAL_REFUND:
    'The refund is recorded already. Another one needs its own --refund-id.',
  NO_ACTIVE_EARNING_RULE: 'Create and activate an earning rule for this mode.',
  CURRENCY_MISMATCH: 'Use the currency of the active earning rule, or activate one for this.',
  RATE_LIMITED: 'Wait, then run the same command again.',
  INTERNAL: 'Run the same command again; if it stays, quote the request id to the operators.',
  UNAVAILABLE: 'Run the same command again in a moment; nothing happens twice.',
};

/** @returns a sentence, or undefined when the service's own message has to be enough */
export function adviceFor(code: string): string | undefined {
  return advice[code];
}
