import Joi from 'joi';
import { partnerRoles } from '../../domain/partner-roles.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { emailField, idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type InviteDeps, type Invited, sendInvitation } from './send-invitation.ts';

/** Invites somebody to the owner's team. */
export const inviteUser = operation({
  name: 'user.invite',
  permission: { operator: null, user: 'user.invite' },
  secondFactor: 'ALWAYS',
  input: Joi.object<Invited>({
    partnerId: idField,
    email: emailField.required(),
    role: Joi.string()
      .valid(...partnerRoles)
      .required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  // The audit log contains the role, never the address.
  audit: ({ partnerId, role }) => ({ partnerId, targetId: null, details: { role } }),

  /** @throws ServiceError CONFLICT for a user of this partner, or if it has the maximum number of users */
  run: (deps: InviteDeps, invited, { actor, found, idOf }) =>
    sendInvitation(deps, found, invited, {
      invitedBy: actor.id,
      invitationId: idOf('invitation'),
    }),

  completion: ({ _id: targetId }) => ({ targetId }),
});
