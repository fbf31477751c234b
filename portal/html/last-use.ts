/** When the newest use of some secrets or tokens was; to the minute. */
export function lastUseOf(all: readonly { lastUsedAt: Date | null }[]): Date | null {
  const used = all.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return used.length === 0 ? null : new Date(Math.max(...used));
}
