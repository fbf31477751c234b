import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { defaultNotices } from '../../domain/notices.ts';
import { invitationIsOver, invitedUserId } from '../../models/identity/invitations.ts';
import type { InvitationDoc, UserDoc } from '../../models/schemas/people.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { saveNotices } from '../../models/webhooks/notices.ts';
import { hashPassword } from '../../platform/passwords.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, shortText } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';

interface Acceptance {
  invitationId: string;
  name: string;
  password: string;
}

/** The invited person as an actor, before their account exists. */
export const invitedActor = (invitation: InvitationDoc, requestId: string) =>
  ({
    kind: 'user',
    id: invitedUserId(invitation),
    role: invitation.role,
    partnerId: invitation.partnerId,
    requestId,
    factor: null,
  }) as const;

/**
 * Creates the user of an invitation. Anyone with the token from its email can accept it, and acts as the
 * created user.
 */
export const acceptInvitation = operation({
  name: 'user.accept-invitation',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Acceptance>({
    invitationId: idField,
    name: shortText(100).required(),
    password: Joi.string().min(12).max(200).required(),
  }),
  async find({ models }, { invitationId }) {
    const invitation = await models.invitations.findById(invitationId);
    if (invitation) return invitation;
    throw invitationIsOver();
  },
  approval: 'NONE',
  audit: (_input, invitation) => ({
    partnerId: invitation.partnerId,
    targetId: invitedUserId(invitation),
    details: { role: invitation.role },
  }),

  /**
   * Of concurrent attempts, one creates the user; none does if the invitation is revoked in the meantime,
   * while the password is being hashed.
   * @throws ServiceError CONFLICT if the address belongs to another account; NOT_FOUND
   */
  async run(
    { models, now }: AuditDeps,
    { name, password },
    { found: invitation },
  ): Promise<UserDoc> {
    const { partnerId, email, role, invitedBy } = invitation;
    const user: UserDoc = {
      _id: invitedUserId(invitation),
      partnerId,
      role,
      operatorId: null,
      name,
      email,
      passwordHash: await hashPassword(password),
      secondFactor: null,
      invitedBy,
      createdAt: new Date(now()),
      disabledAt: null,
    };
    if (!(await insertOnce(() => models.users.create(user)))) {
      throw new ServiceError(
        'CONFLICT',
        'This address is already in use. Ask to be invited with another one.',
      );
    }
    const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitation._id });
    if (deletedCount === 0) {
      await models.users.deleteOne({ _id: user._id, partnerId });
      throw invitationIsOver();
    }
    const whose = { partnerId, userId: user._id };
    await saveNotices(models, whose, defaultNotices[role], 'AT_ONCE', user.createdAt);
    return user;
  },
});
