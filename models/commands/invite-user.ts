import { ServiceError } from '../../domain/errors.ts';
import type { PartnerRole } from '../../domain/partner-roles.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { SendMail } from '../../platform/mailer.ts';
import { invitationMail } from '../../platform/portal-mails.ts';
import type { InvitationDoc } from '../schemas/invitation.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner } from './find.ts';
import { emailKey } from './find-user.ts';

/** How long an invitation may be accepted. */
const invitationMs = 7 * 24 * 3_600_000;
/** Of a partner, with those who are invited. */
const maxUsers = 100;

export interface Invited {
  partnerId: string;
  email: string;
  role: PartnerRole;
}

export interface InvitedBy {
  /** The operator or the user who invites. */
  invitedBy: string;
  invitationId: string;
}

export interface InviteDeps extends Pick<CommandDeps, 'models' | 'now'> {
  sendMail: SendMail;
  /** The portal's public address. */
  portalUrl: string;
}

/**
 * Invites somebody to be a user of a partner. Inviting an address again replaces what was sent before.
 * Whoever reads the mail can accept; its token is shown to nobody else. Safe to repeat under the same id.
 * @throws ServiceError NOT_FOUND; CONFLICT for a user of this partner, or where there are too many
 */
export async function inviteUser(
  { models, now, sendMail, portalUrl }: InviteDeps,
  { partnerId, role, ...fields }: Invited,
  { invitedBy, invitationId }: InvitedBy,
): Promise<InvitationDoc> {
  const { name: partnerName } = await findPartner(models, partnerId);
  const email = emailKey(fields.email);
  // Of other partners' users it says nothing: who they are is no business of this one.
  if (await models.users.exists({ email, partnerId, disabledAt: null })) {
    throw new ServiceError('CONFLICT', 'This address belongs to somebody in the team already.');
  }
  const counts = await Promise.all([
    models.users.countDocuments({ partnerId, disabledAt: null }),
    models.invitations.countDocuments({ partnerId, email: { $ne: email } }),
  ]);
  if (counts[0] + counts[1] >= maxUsers) {
    throw new ServiceError('CONFLICT', `A team has at most ${maxUsers} users and invitations.`);
  }
  const token = newToken();
  const createdAt = new Date(now());
  const invitation: InvitationDoc = {
    ...{ _id: invitationId, partnerId, email, role, invitedBy, createdAt },
    tokenHash: sha256Hex(token),
    expiresAt: new Date(now() + invitationMs),
  };
  await models.invitations.deleteOne({ partnerId, email });
  await models.invitations.create(invitation);
  await sendMail(invitationMail(portalUrl, { to: email, partnerName, role }, token));
  return invitation;
}
