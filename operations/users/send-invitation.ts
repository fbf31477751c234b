import { ServiceError } from '../../domain/errors.ts';
import type { PartnerRole } from '../../domain/partner-roles.ts';
import { invitationMail } from '../../messaging/portal-mails.ts';
import { invitationMs, newInvitationToken } from '../../models/identity/invitations.ts';
import { emailKey } from '../../models/identity/users.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { InvitationDoc } from '../../models/schemas/people.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { OperationDeps } from '../deps.ts';

/** The maximum number of a partner's users, including open invitations. */
const maxUsers = 100;

export type InviteDeps = Pick<OperationDeps, 'models' | 'now' | 'sendMessage'> & {
  config: { portal: { url: string } };
};

export interface Invited {
  partnerId: string;
  email: string;
  role: PartnerRole;
}

/**
 * Invites somebody to become a user of a partner. Inviting an address again replaces the earlier invitation.
 * Only the email contains the token to accept it. Safe to repeat with the same id. Of the owners that
 * operators invite, only the newest invitation is open.
 * @throws ServiceError CONFLICT for a user of this partner, or if it has the maximum number of users
 */
export async function sendInvitation(
  { models, now, sendMessage, config }: InviteDeps,
  { _id: partnerId, name: partnerName }: PartnerDoc,
  { role, ...fields }: Invited,
  {
    invitedBy,
    invitationId,
    byOperator = false,
  }: { invitedBy: string; invitationId: string; byOperator?: boolean },
): Promise<InvitationDoc> {
  const email = emailKey(fields.email);
  // Does not reveal whether the address belongs to another partner's user.
  if (await models.users.exists({ email, partnerId, disabledAt: null })) {
    throw new ServiceError('CONFLICT', 'This address already belongs to someone on the team.');
  }
  const counts = await Promise.all([
    models.users.countDocuments({ partnerId, disabledAt: null }),
    models.invitations.countDocuments({ partnerId, email: { $ne: email } }),
  ]);
  if (counts[0] + counts[1] >= maxUsers) {
    throw new ServiceError(
      'CONFLICT',
      `A team can have at most ${maxUsers} users and invitations.`,
    );
  }
  const token = newInvitationToken(invitationId);
  const createdAt = new Date(now());
  const invitation: InvitationDoc = {
    _id: invitationId,
    partnerId,
    email,
    role,
    invitedBy,
    createdAt,
    tokenHash: sha256Hex(token),
    expiresAt: new Date(now() + invitationMs),
    ...(byOperator && role === 'owner' && { ownerFromOutside: partnerId }),
  };
  await models.invitations.deleteOne({ partnerId, email });
  if (invitation.ownerFromOutside)
    await models.invitations.deleteOne({ ownerFromOutside: partnerId });
  if (!(await insertOnce(() => models.invitations.create(invitation)))) {
    throw new ServiceError('CONFLICT', 'Someone else is being invited right now. Try again.');
  }
  const { expiresAt: linkEndsAt } = invitation;
  const wayIn = { token, linkEndsAt };
  await sendMessage(invitationMail(config.portal.url, { to: email, partnerName, role }, wayIn));
  return invitation;
}
