/** The command's arguments are invalid; nothing was sent. */
export class UsageError extends Error {
  override name = 'UsageError';
}
