import { endAccessTokens } from '../access-tokens.ts';
import { endSessions } from '../sessions.ts';
import type { CommandDeps } from './deps.ts';
import { endInvitations } from './end-invitations.ts';
import { findUser, requireOwner } from './find-user.ts';

/**
 * Removes a user from a partner, with all sessions, access tokens and open invitations. The name stays
 * for the audit trail; the address goes, and may be invited anew.
 * @throws ServiceError NOT_FOUND, or CONFLICT for the last owner
 */
export async function removeUser(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  partnerId: string,
  userId: string,
): Promise<void> {
  await findUser(models, partnerId, userId);
  const set = (change: object) =>
    models.users.updateOne({ _id: userId, partnerId }, { $set: change });
  await set({ disabledAt: new Date(now()) });
  await requireOwner(models, partnerId, () => set({ disabledAt: null }));
  await set({ email: null, passwordHash: null, secondFactor: null });
  await endSessions({ models }, userId);
  await endAccessTokens({ models }, userId);
  await endInvitations({ models }, userId);
}
