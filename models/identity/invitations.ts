import { ServiceError } from '../../domain/errors.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { idAfter } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { InvitationDoc } from '../schemas/invitation.ts';

/** The user whom an invitation makes: the same one, however often it is tried. */
export const invitedUserId = ({ _id }: InvitationDoc): string => idAfter('user', _id);

/**
 * @param token of the mail
 * @throws ServiceError NOT_FOUND for one that is unknown, accepted, revoked or expired
 */
export async function findInvitation(
  { models, now }: { models: Models; now: () => number },
  token: string,
): Promise<InvitationDoc> {
  const invitation = await models.invitations.findOne({ tokenHash: sha256Hex(token) }).lean();
  if (invitation && invitation.expiresAt.getTime() > now()) return invitation;
  throw invitationIsOver();
}

export function invitationIsOver(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is over: it was accepted, taken back, or is older than a week.',
  );
}
