import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { endInvitations } from '../../models/identity/end-invitations.ts';
import { findUser, requireOwner } from '../../models/identity/users.ts';
import { type NotifyDeps, notifyOfChange } from '../account/notify-of-change.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Changes the role of a partner's user, from the next page on. Unless the new role is owner, their open
 * invitations are revoked.
 */
export const changeUserRole = operation({
  name: 'user.change-role',
  permission: { operator: null, user: 'user.change-role' },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; userId: string; role: PartnerRole }>({
    partnerId: idField,
    userId: idField,
    role: Joi.string()
      .valid(...partnerRoles)
      .required(),
  }),
  find: ({ models }, { partnerId, userId }) => findUser(models, partnerId, userId),
  approval: 'NONE',
  audit: ({ partnerId, userId, role }, { role: from }) => ({
    partnerId,
    targetId: userId,
    details: { from, to: role },
  }),

  /** @throws ServiceError CONFLICT for the last owner */
  async run(deps: Pick<AuditDeps, 'models'> & NotifyDeps, { partnerId, userId, role }, { found }) {
    const { models } = deps;
    await models.users.updateOne({ _id: userId, partnerId }, { $set: { role } });
    await requireOwner(models, partnerId, () =>
      models.users.updateOne({ _id: userId, partnerId }, { $set: { role: found.role } }),
    );
    if (role !== 'owner') await endInvitations({ models }, userId);
    if (role !== found.role)
      await notifyOfChange(deps, found, `Your role in your team is now ${role}.`);
  },
});
