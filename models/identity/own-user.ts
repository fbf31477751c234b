import type { Models } from '../schemas/index.ts';
import type { SessionDoc, UserDoc } from '../schemas/people.ts';
import { requireFound } from '../store/require-found.ts';

/**
 * The user account of an operator or a partner's user.
 * @param actorId `opr_…` or `usr_…`
 * @throws ServiceError NOT_FOUND if the actor has none
 */
export async function findOwnUser(models: Models, actorId: string): Promise<UserDoc> {
  const isThey = { $or: [{ _id: actorId }, { operatorId: actorId }], disabledAt: null };
  return requireFound(await models.users.findOne(isThey), 'user', actorId);
}

/**
 * The user account of an actor, and one of its sessions.
 * @throws ServiceError NOT_FOUND if the actor has no user account, or the session belongs to
 *   another
 */
export async function findSelfInSession(
  models: Models,
  actorId: string,
  sessionId: string,
): Promise<{ user: UserDoc; session: SessionDoc }> {
  const user = await findOwnUser(models, actorId);
  const session = await models.sessions.findOne({ _id: sessionId, userId: user._id });
  return { user, session: requireFound(session, 'session', sessionId) };
}
