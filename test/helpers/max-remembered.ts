/** Accounts that a test's books keep in mind: a test has few, and the places are taken at once. */
export const maxRemembered = 100;
