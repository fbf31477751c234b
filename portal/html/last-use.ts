/** The most recent use of several secrets or tokens, to the minute. */
export function lastUseOf(all: readonly { lastUsedAt: Date | null }[]): Date | null {
  const used = all.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return used.length === 0 ? null : new Date(Math.max(...used));
}
