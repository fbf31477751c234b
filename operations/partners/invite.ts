import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { emailKey } from '../../models/identity/users.ts';
import type { Models } from '../../models/schemas/index.ts';
import { keyedHasher } from '../../platform/hashing.ts';
import { emailField, idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { type InviteDeps, type Invited, sendInvitation } from '../users/send-invitation.ts';

/** An operator invites a user of a partner: its first owner alone, who invites the others. */
export const invitePartner = sensitiveOperation({
  name: 'partner.invite',
  permission: { operator: 'partner.invite', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Invited>({
    partnerId: idField,
    email: emailField.required(),
    role: Joi.string()
      .valid(...partnerRoles)
      .default('owner'),
  }),
  async find({ models, config }, { partnerId, email }) {
    const partner = await findPartner(models, partnerId);
    if (!config) throw new Error('an address is hashed with a key of the configuration');
    const hashOf = keyedHasher(config.customerHashKey, 'address of a user');
    return { partner, addressHash: hashOf(emailKey(email)).slice(0, 16) };
  },
  approval: {
    facts: async ({ models }, { partnerId, role }, { addressHash }) => ({
      ...{ role, addressHash },
      isFirstOwner: await isFirstOwner(models, partnerId),
    }),
    // Else an admin could let an accomplice in who makes LIVE keys; whoever is less gets none.
    needed: ({ role, isFirstOwner }: { role: PartnerRole; isFirstOwner: boolean }) =>
      role === 'owner' && !isFirstOwner,
  },
  // The audit log never has the address; its hash tells one proposal from another.
  audit: ({ partnerId, role }, { addressHash }) => ({
    ...{ targetId: null, partnerId },
    details: { role, addressHash },
  }),

  /** @throws ServiceError CONFLICT for a user of this partner, or where there are too many */
  run: (deps: InviteDeps, invited, { actor, found, idOf }) =>
    sendInvitation(deps, found.partner, invited, {
      ...{ invitedBy: actor.id, invitationId: idOf('invitation') },
    }),

  completion: ({ _id: targetId }) => ({ targetId }),
});

/**
 * Whether an owner invited now would be the partner's first: it is not live, has no owner, and nobody
 * is invited as one.
 */
async function isFirstOwner(models: Models, partnerId: string): Promise<boolean> {
  const [isLive, hasOwner, isInvited] = await Promise.all([
    models.partners.exists({ _id: partnerId, 'goLive.state': 'LIVE' }),
    models.users.exists({ partnerId, role: 'owner', disabledAt: null }),
    models.invitations.exists({ partnerId, role: 'owner' }),
  ]);
  return !isLive && !hasOwner && !isInvited;
}
