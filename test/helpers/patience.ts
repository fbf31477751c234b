/** How long commits of tests are tried: where many tests share a disk, one can take longer than a partner should wait. */
export const patienceMs = 60_000;
