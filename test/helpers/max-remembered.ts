/** Accounts that a test's ledger caches. Tests have few, and the cache allocates all its places at once. */
export const maxRemembered = 100;
