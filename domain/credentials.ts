/**
 * So many signing secrets of a key are active at a time: a rotation needs two (docs/contract.md,
 * Authentication).
 */
export const maxActiveSecrets = 2;

/** So many keys of a partner are active at a time, of both modes together. */
export const maxActiveKeys = 100;

/** So many integrations a partner has. */
export const maxIntegrations = 100;

/** An operator changes over from one token to the next without being locked out. */
export const maxActiveTokens = 2;
