/**
 * The most signing secrets of a key that are active at a time: a rotation needs two
 * (docs/contract.md, Authentication).
 */
export const maxActiveSecrets = 2;

/** The most active keys of a partner, TEST and LIVE together. */
export const maxActiveKeys = 100;

/** The most integrations of a partner. */
export const maxIntegrations = 100;

/** Two, so that an operator can replace a token without being locked out. */
export const maxActiveTokens = 2;
