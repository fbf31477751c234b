import { sha256Hex } from '../../platform/hashing.ts';
import { invitationIsOver } from '../identity/invitations.ts';
import type { InvitationDoc } from '../schemas/invitation.ts';
import type { ViewDeps } from './deps.ts';

/**
 * Finds an invitation.
 * @param token from the link in the email
 * @throws ServiceError if it is unknown, accepted, revoked or expired
 */
export async function findInvitation(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<InvitationDoc> {
  const invitation = await models.invitations.findOne({ tokenHash: sha256Hex(token) }).lean();
  if (invitation && invitation.expiresAt.getTime() > now()) return invitation;
  throw invitationIsOver();
}
