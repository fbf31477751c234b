import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/user.ts';

/** The one spelling under which an address is kept and found. */
export const emailKey = (email: string): string => email.trim().toLowerCase();

/**
 * A user of a partner who may sign in.
 * @throws ServiceError NOT_FOUND, for another partner's too
 */
export async function findUser(
  models: Models,
  partnerId: string,
  userId: string,
): Promise<UserDoc> {
  const user = await models.users.findOne({ _id: userId, partnerId, disabledAt: null }).lean();
  if (user) return user;
  throw new ServiceError('NOT_FOUND', `There is no user ${JSON.stringify(userId)}.`);
}

/**
 * Undoes a change that left a partner without an owner. Of two who change each other at once both are
 * undone: there is an owner at any time.
 * @throws ServiceError CONFLICT after `undo`, where there is no owner
 */
export async function requireOwner(
  models: Models,
  partnerId: string,
  undo: () => Promise<unknown>,
): Promise<void> {
  if (await models.users.exists({ partnerId, role: 'owner', disabledAt: null })) return;
  await undo();
  throw new ServiceError('CONFLICT', 'A team needs an owner. Make somebody else an owner first.');
}
