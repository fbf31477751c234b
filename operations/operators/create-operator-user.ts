import { ServiceError } from '../../domain/errors.ts';
import { emailKey } from '../../models/identity/users.ts';
import type { OperatorDoc, UserDoc } from '../../models/schemas/people.ts';
import { isDuplicateKey } from '../../models/store/insert-once.ts';
import { correspondingId } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/passwords.ts';
import type { AuditDeps } from '../deps.ts';

/**
 * Creates an operator's user account for the portal, once. Without a password, the operator signs in by
 * email and sets one.
 * @throws ServiceError CONFLICT if the address belongs to another user
 */
export async function createOperatorUser(
  { models, now }: AuditDeps,
  { _id: operatorId, name }: Pick<OperatorDoc, '_id' | 'name'>,
  { email, password }: { email: string; password?: string },
): Promise<UserDoc> {
  const user: UserDoc = {
    _id: correspondingId('user', operatorId),
    partnerId: null,
    role: null,
    operatorId,
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
    const standing = await models.users.findOne({ _id: user._id, email: user.email });
    if (standing) return standing;
    throw new ServiceError('CONFLICT', 'This address is already in use.');
  }
  return user;
}
