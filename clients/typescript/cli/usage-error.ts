/** The command was given something it cannot use; nothing was sent. */
export class UsageError extends Error {
  override name = 'UsageError';
}
