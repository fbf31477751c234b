import { ServiceError } from '../../domain/errors.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { idAfter } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/passwords.ts';
import { insertOnce } from '../insert-once.ts';
import type { InvitationDoc } from '../schemas/invitation.ts';
import type { UserDoc } from '../schemas/user.ts';
import type { CommandDeps } from './deps.ts';

type AcceptDeps = Pick<CommandDeps, 'models' | 'now'>;

/** The user whom an invitation makes: the same one, however often it is tried. */
export const invitedUserId = ({ _id }: InvitationDoc): string => idAfter('user', _id);

/**
 * @param token of the mail
 * @throws ServiceError NOT_FOUND for one that is unknown, accepted, revoked or expired
 */
export async function findInvitation(
  { models, now }: AcceptDeps,
  token: string,
): Promise<InvitationDoc> {
  const invitation = await models.invitations.findOne({ tokenHash: sha256Hex(token) }).lean();
  if (invitation && invitation.expiresAt.getTime() > now()) return invitation;
  throw isOver();
}

/**
 * Makes the user that an invitation promises. Of two who accept at once one is made; none where it is
 * taken back meanwhile, since a password takes a moment to hash.
 * @throws ServiceError CONFLICT where the address signs in to another account already; NOT_FOUND
 */
export async function acceptInvitation(
  { models, now }: AcceptDeps,
  invitation: InvitationDoc,
  { name, password }: { name: string; password: string },
): Promise<UserDoc> {
  const { partnerId, email, role } = invitation;
  const user: UserDoc = {
    _id: invitedUserId(invitation),
    partnerId,
    role,
    adminId: null,
    name,
    email,
    passwordHash: await hashPassword(password),
    secondFactor: null,
    createdAt: new Date(now()),
    disabledAt: null,
  };
  if (!(await insertOnce(() => models.users.create(user)))) {
    throw new ServiceError(
      'CONFLICT',
      'Somebody signs in with this address already. Ask to be invited under another one.',
    );
  }
  const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitation._id });
  if (deletedCount > 0) return user;
  await models.users.deleteOne({ _id: user._id, partnerId });
  throw isOver();
}

function isOver(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is over: it was accepted, taken back, or is older than a week.',
  );
}
