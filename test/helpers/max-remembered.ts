/** The number of accounts that a test's ledger caches. Tests have few, and the cache allocates its memory at once. */
export const maxRemembered = 100;
