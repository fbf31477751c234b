import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { emailKey } from '../../models/identity/users.ts';
import { keyedHasher } from '../../platform/hashing.ts';
import { emailField, idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { type InviteDeps, type Invited, sendInvitation } from '../users/send-invitation.ts';

/** Invites a partner's user on behalf of an operator, such as the first owner, who invites the others. */
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
    if (!config) throw new Error('hashing the address needs a key from the configuration');
    const hashOf = keyedHasher(config.customerHashKey, 'address of a user');
    return { partner, addressHash: hashOf(emailKey(email)).slice(0, 16) };
  },
  approval: {
    facts: (_deps, { partnerId, role }, { partner, addressHash }) => ({
      partnerId,
      partner: partner.name,
      role,
      addressHash,
    }),
    // Otherwise one admin could invite an accomplice as an owner, who can create LIVE keys; other roles
    // cannot.
    needed: ({ role }: { role: PartnerRole }) => role === 'owner',
  },
  // The audit log never contains the address; its hash distinguishes proposals.
  audit: ({ partnerId, role }, { addressHash }) => ({
    targetId: null,
    partnerId,
    details: { role, addressHash },
  }),

  /** @throws ServiceError CONFLICT for a user of this partner, or if it has the maximum number of users */
  run: (deps: InviteDeps, invited, { actor, found, idOf }) =>
    sendInvitation(deps, found.partner, invited, {
      invitedBy: actor.id,
      invitationId: idOf('invitation'),
      byOperator: true,
    }),

  completion: ({ _id: targetId }) => ({ targetId }),
});
