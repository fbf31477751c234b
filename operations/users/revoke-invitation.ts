import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Revokes an invitation. */
export const revokeInvitation = operation({
  name: 'user.revoke-invitation',
  permission: { operator: null, user: 'user.invite' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; invitationId: string }>({
    partnerId: idField,
    invitationId: idField,
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, invitationId: targetId }) => ({ partnerId, targetId }),

  /** @throws ServiceError NOT_FOUND for an accepted, revoked or expired invitation */
  async run({ models }: Pick<AuditDeps, 'models'>, { partnerId, invitationId }) {
    const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitationId });
    if (deletedCount > 0) return;
    throw new ServiceError('NOT_FOUND', 'This invitation has already ended.');
  },
});
