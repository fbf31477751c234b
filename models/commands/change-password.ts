import { hashPassword } from '../../platform/passwords.ts';
import { endAccessTokens } from '../access-tokens.ts';
import { endSessions } from '../sessions.ts';
import type { CommandDeps } from './deps.ts';

/** Sets a user's password, and ends every session but the one that asks, and every access token. */
export async function changePassword(
  { models }: Pick<CommandDeps, 'models'>,
  userId: string,
  { password, sessionId }: { password: string; sessionId: string },
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await models.users.updateOne({ _id: userId }, { $set: { passwordHash } });
  await endSessions({ models }, userId, sessionId);
  await endAccessTokens({ models }, userId);
}
