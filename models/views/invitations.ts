import { sha256Hex } from '../../platform/hashing.ts';
import { isIdOf, timeOfId } from '../../platform/ids.ts';
import { invitationMs, invitedUserId } from '../identity/invitations.ts';
import type { InvitationDoc } from '../schemas/people.ts';
import type { ViewDeps } from './deps.ts';

/** Why an invitation can't be accepted. It was withdrawn if it was revoked or replaced by a newer one. */
export type InvitationEnd = 'ACCEPTED' | 'EXPIRED' | 'WITHDRAWN' | 'UNKNOWN';

/**
 * Reads an invitation, or how it ended.
 * @param token from the link in the email
 */
export async function readInvitation(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<InvitationDoc | InvitationEnd> {
  const invitation = await models.invitations.findOne({ tokenHash: sha256Hex(token) });
  if (invitation) return invitation.expiresAt.getTime() > now() ? invitation : 'EXPIRED';
  const [_id = ''] = token.split('-');
  if (!isIdOf('invitation', _id)) return 'UNKNOWN';
  if (await models.users.exists({ _id: invitedUserId({ _id }) })) return 'ACCEPTED';
  return timeOfId(_id) + invitationMs <= now() ? 'EXPIRED' : 'WITHDRAWN';
}
