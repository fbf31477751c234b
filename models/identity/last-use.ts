/** The last use of a session, a token or a key is stored at most this often, so that most requests cost no write. */
export const touchEveryMs = 60_000;
