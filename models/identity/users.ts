import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/people.ts';

/** The normalized form in which email addresses are stored and looked up. */
export const emailKey = (email: string): string => email.trim().toLowerCase();

/** Finds a user of a partner. @throws ServiceError NOT_FOUND, also for another partner's user */
export async function findUser(
  models: Models,
  partnerId: string,
  userId: string,
): Promise<UserDoc> {
  const user = await models.users.findOne({ _id: userId, partnerId, disabledAt: null });
  if (user) return user;
  throw new ServiceError('NOT_FOUND', `There is no user ${JSON.stringify(userId)}.`);
}

/**
 * Undoes a change that left a partner without an owner. Of two concurrent changes that would, both
 * are undone, so that there is always an owner.
 * @throws ServiceError CONFLICT after calling `undo`, if there is no owner
 */
export async function requireOwner(
  models: Models,
  partnerId: string,
  undo: () => Promise<unknown>,
): Promise<void> {
  if (await models.users.exists({ partnerId, role: 'owner', disabledAt: null })) return;
  await undo();
  throw new ServiceError('CONFLICT', 'A team needs an owner. Make someone else an owner first.');
}
