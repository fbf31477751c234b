import type { Models } from '../schemas/index.ts';
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
