import type { CommandDeps } from './deps.ts';

/** Ends an access token of a user at once. */
export async function revokeAccessToken(
  { models }: Pick<CommandDeps, 'models'>,
  userId: string,
  accessTokenId: string,
): Promise<void> {
  await models.accessTokens.deleteOne({ _id: accessTokenId, userId });
}
