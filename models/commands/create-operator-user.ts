import { ServiceError } from '../../domain/errors.ts';
import { idAfter } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/passwords.ts';
import { isDuplicateKey } from '../insert-once.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { UserDoc } from '../schemas/user.ts';
import type { CommandDeps } from './deps.ts';
import { emailKey } from './find-user.ts';

/**
 * Lets an operator sign in to the portal. Without a password it does so by mail, and sets one there. Made
 * again it is the same user: an operator has one.
 * @throws ServiceError CONFLICT where somebody signs in with this address already
 */
export async function createOperatorUser(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { _id: adminId, name }: Pick<AdminDoc, '_id' | 'name'>,
  { email, password }: { email: string; password?: string },
): Promise<UserDoc> {
  const user: UserDoc = {
    _id: idAfter('user', adminId),
    partnerId: null,
    role: null,
    adminId,
    name,
    email: emailKey(email),
    passwordHash: password === undefined ? null : await hashPassword(password),
    secondFactor: null,
    createdAt: new Date(now()),
    disabledAt: null,
  };
  try {
    await models.users.create(user);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const standing = await models.users.findOne({ _id: user._id, email: user.email }).lean();
    if (standing) return standing;
    throw new ServiceError('CONFLICT', 'Somebody signs in with this address already.');
  }
  return user;
}
