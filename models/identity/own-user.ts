import type { Models } from '../schemas/index.ts';
import type { SessionDoc } from '../schemas/session.ts';
import type { UserDoc } from '../schemas/user.ts';
import { found } from '../store/found.ts';

/**
 * The user as whom somebody signs in.
 * @param actorId `opr_…` or `usr_…`
 * @throws ServiceError NOT_FOUND for who signs in nowhere
 */
export async function findOwnUser(models: Models, actorId: string): Promise<UserDoc> {
  const isThey = { $or: [{ _id: actorId }, { operatorId: actorId }], disabledAt: null };
  return found(await models.users.findOne(isThey).lean(), 'user', actorId);
}

/**
 * The same user, and a session of theirs.
 * @throws ServiceError NOT_FOUND for who signs in nowhere, and for a session that is somebody else's
 */
export async function findSelfInSession(
  models: Models,
  actorId: string,
  sessionId: string,
): Promise<{ user: UserDoc; session: SessionDoc }> {
  const user = await findOwnUser(models, actorId);
  const session = await models.sessions.findOne({ _id: sessionId, userId: user._id }).lean();
  return { user, session: found(session, 'session', sessionId) };
}
