import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { modeOfPartner } from '../domain/go-live.ts';
import type { Mode } from '../domain/mode.ts';
import {
  defaultNotices,
  type PartnerRole,
  partnerRoles,
  type Resetter,
  resetRefusal,
} from '../domain/partners.ts';
import { factorResetMail, invitationMail } from '../messaging/portal-mails.ts';
import { endAccessTokens } from '../models/identity/access-tokens.ts';
import { endInvitations } from '../models/identity/end-invitations.ts';
import {
  invitationIsOver,
  invitationMs,
  invitedUserId,
  newInvitationToken,
} from '../models/identity/invitations.ts';
import { endOperatorTokens } from '../models/identity/operator-tokens.ts';
import { findPartner, verifyTeamAddresses } from '../models/identity/partners.ts';
import { dropSecondFactor } from '../models/identity/second-factors.ts';
import { endSessions } from '../models/identity/sessions.ts';
import { emailKey, findUser, requireOwner } from '../models/identity/users.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { InvitationDoc, UserDoc } from '../models/schemas/people.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { sendCounted } from '../models/store/mail-quotas.ts';
import { writeWithinLimit } from '../models/store/write-within-limit.ts';
import { saveNotices } from '../models/webhooks/operators.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { hashPassword } from '../platform/passwords.ts';
import { type NotifyDeps, notifyOfChange, sendNotice } from './account.ts';
import type { AuditLogDeps } from './deps.ts';
import { emailAddress, idField, shortText } from './fields.ts';
import { operation, ownAccount, sensitiveOperation, takesTwo } from './operation.ts';

interface Acceptance {
  invitationId: string;
  name: string;
  /** Absent if people sign in at the identity provider. */
  password?: string;
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
    password: Joi.string().min(12).max(200),
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
    { models, now }: AuditLogDeps,
    { name, password },
    { found: invitation },
  ): Promise<UserDoc> {
    const { partnerId, email, role, invitedBy, approvedBy = null } = invitation;
    const user: UserDoc = {
      _id: invitedUserId(invitation),
      partnerId,
      role,
      operatorId: null,
      name,
      email,
      passwordHash: password === undefined ? null : await hashPassword(password),
      secondFactor: null,
      invitedBy,
      approvedBy,
      createdAt: new Date(now()),
      disabledAt: null,
    };
    if (!(await insertOnce(() => models.users.create(user)))) {
      throw new ServiceError(
        'CONFLICT',
        'This address already has an account in this portal, with another team. Ask to be invited with another address.',
      );
    }
    const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitation._id });
    if (deletedCount === 0) {
      await models.users.deleteOne({ _id: user._id, partnerId });
      throw invitationIsOver();
    }
    await verifyTeamAddresses(models, partnerId);
    const whose = { partnerId, userId: user._id };
    await saveNotices(models, whose, defaultNotices[role], 'AT_ONCE', user.createdAt);
    return user;
  },
});

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
  async run(
    deps: Pick<AuditLogDeps, 'models'> & NotifyDeps,
    { partnerId, userId, role },
    { found },
  ) {
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

/** The maximum number of a partner's users, including open invitations. */
export const maxUsers = 100;

/** Who approved an operator's invitation, and the mode of the partner when that was decided. */
interface FromOutside {
  approvedBy: string | null;
  mode: Mode;
}

export interface Invited {
  partnerId: string;
  email: string;
  role: PartnerRole;
}

/**
 * Invites somebody to become a user of a partner. Inviting an address again replaces the earlier invitation.
 * Only the email contains the token to accept it. Safe to repeat with the same id. Of the owners that
 * operators invite, only the newest invitation is open.
 * @throws ServiceError CONFLICT for a user of this partner, or if it has the maximum number of users;
 *   RATE_LIMITED if too many were sent today to this address, or for this partner
 */
export async function sendInvitation(
  deps: NotifyDeps,
  { _id: partnerId, name: partnerName }: PartnerDoc,
  { role, ...fields }: Invited,
  {
    invitedBy,
    invitationId,
    fromOutside = null,
  }: { invitedBy: string; invitationId: string; fromOutside?: FromOutside | null },
): Promise<InvitationDoc> {
  const { models, now, config } = deps;
  const email = emailKey(fields.email);
  // Does not reveal whether the address belongs to another partner's user.
  if (await models.users.exists({ email, partnerId, disabledAt: null })) {
    throw new ServiceError(
      'CONFLICT',
      'This address already belongs to someone on the team: open their page to change their role.',
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
    approvedBy: fromOutside?.approvedBy ?? null,
    createdAt,
    tokenHash: sha256Hex(token),
    expiresAt: new Date(now() + invitationMs),
    ...(fromOutside && role === 'owner' && { ownerFromOutside: partnerId }),
  };
  const { expiresAt: linkEndsAt } = invitation;
  const wayIn = { token, linkEndsAt };
  // The earlier invitation ends only once it is known that this one can be sent.
  const write = async () => {
    await replaceInvitation(models, invitation);
    if (fromOutside) await announceInvitation(deps, invitation, fromOutside);
    return invitationMail(config.portal.url, { to: email, partnerName, role }, wayIn);
  };
  if (await sendCounted(deps, write, { kind: 'INVITATION', partnerId, to: email }))
    return invitation;
  throw new ServiceError(
    'RATE_LIMITED',
    'Too many invitations were sent today. Try again tomorrow.',
  );
}

/**
 * Stores an invitation instead of the earlier one to the same address.
 * @throws ServiceError CONFLICT if the team has the maximum number of users and invitations
 */
async function replaceInvitation(models: Models, invitation: InvitationDoc): Promise<void> {
  const { partnerId, email, ownerFromOutside } = invitation;
  const isWritten = await writeWithinLimit(
    models,
    { partnerId, max: maxUsers },
    async (session) => {
      const users = { partnerId, disabledAt: null };
      const others = { partnerId, email: { $ne: email } };
      return (
        (await models.users.countDocuments(users, { session })) +
        (await models.invitations.countDocuments(others, { session }))
      );
    },
    async (session) => {
      await models.invitations.deleteOne({ partnerId, email }, { session });
      if (ownerFromOutside) await models.invitations.deleteOne({ ownerFromOutside }, { session });
      await models.invitations.create([invitation], { session });
    },
  );
  if (isWritten) return;
  throw new ServiceError('CONFLICT', `A team can have at most ${maxUsers} users and invitations.`);
}

/**
 * Tells the owners of a LIVE partner whom operators invited.
 * @throws ServiceError CONFLICT if the partner went LIVE since somebody decided that one operator can invite
 */
async function announceInvitation(
  deps: NotifyDeps,
  { _id, partnerId, role }: InvitationDoc,
  { mode }: FromOutside,
): Promise<void> {
  const { models } = deps;
  if (modeOfPartner(await findPartner(models, partnerId)) === 'TEST') return;
  if (mode === 'TEST') {
    await models.invitations.deleteOne({ partnerId, _id });
    throw new ServiceError('CONFLICT', 'The partner has gone LIVE in the meantime. Invite again.');
  }
  const owners = await models.users.find({ partnerId, role: 'owner', disabledAt: null });
  for (const owner of owners) {
    await notifyOfChange(deps, owner, `Operators invited somebody to your team as ${role}.`);
  }
}

/** Invites somebody to the owner's team. */
export const inviteUser = operation({
  name: 'user.invite',
  permission: { operator: null, user: 'user.invite' },
  secondFactor: 'ALWAYS',
  input: Joi.object<Invited>({
    partnerId: idField,
    email: emailAddress.required(),
    role: Joi.string()
      .valid(...partnerRoles)
      .required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  // The audit log contains the role, never the address.
  audit: ({ partnerId, role }) => ({ partnerId, targetId: null, details: { role } }),

  /** @throws ServiceError CONFLICT for a user of this partner, or if it has the maximum number of users */
  run: (deps: NotifyDeps, invited, { actor, found, idOf }) =>
    sendInvitation(deps, found, invited, {
      invitedBy: actor.id,
      invitationId: idOf('invitation'),
    }),

  completion: ({ _id: targetId }) => ({ targetId }),
});

/**
 * Removes a user from a partner, with all sessions, access tokens and open invitations. The name stays for
 * the audit log; the address is removed, and can be invited again.
 */
export const removeUser = operation({
  name: 'user.remove',
  permission: { operator: null, user: 'user.remove' },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; userId: string }>({ partnerId: idField, userId: idField }),
  find: ({ models }, { partnerId, userId }) => findUser(models, partnerId, userId),
  approval: 'NONE',
  audit: ({ partnerId, userId: targetId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for the last owner */
  async run(deps: AuditLogDeps & NotifyDeps, { partnerId, userId }, { found: user }) {
    const { models, now } = deps;
    const set = (change: object) =>
      models.users.updateOne({ _id: userId, partnerId }, { $set: change });
    await set({ disabledAt: new Date(now()) });
    await requireOwner(models, partnerId, () => set({ disabledAt: null }));
    await set({ email: null, passwordHash: null, secondFactor: null, devices: [] });
    await endSessions({ models }, userId);
    await endAccessTokens({ models }, userId);
    await endInvitations({ models }, userId);
    await notifyOfChange(deps, user, 'You were removed from your team.');
  },
});

/**
 * Resets a user's second factor, ends all sessions and tokens, and notifies the user by email. The user sets
 * up another factor when they next need it.
 * @param record called before, if nothing refuses it
 * @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal`
 */
export async function takeSecondFactor(
  deps: NotifyDeps,
  user: UserDoc,
  by: Resetter,
  record: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { models, now, config } = deps;
  const { _id, operatorId, email } = user;
  requireResettable(user, by);
  await record();
  // Sessions end first, so that none of them can set up another factor; a repeat after a crash ends them, too.
  await endSessions({ models }, _id);
  await endAccessTokens({ models }, _id);
  await endOperatorTokens({ models, now }, operatorId);
  await dropSecondFactor(models, { _id });
  if (email === null) return;
  const mail = factorResetMail(config.portal.url, email, { userId: _id, at: now() });
  await sendNotice(deps, mail, { kind: 'ACCOUNT', to: email, what: 'reset' });
}

/** @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal` */
function requireResettable({ _id, operatorId, role, secondFactor }: UserDoc, by: Resetter): void {
  const refusal = resetRefusal(by, {
    actorId: operatorId ?? _id,
    partnerRole: role,
    hasFactor: secondFactor !== null,
  });
  if (refusal) throw new ServiceError(refusal.code, refusal.message);
}

/**
 * Resets the second factor of a partner's user who has lost it; only operators can do so for owners, and for an
 * owner of a LIVE partner it takes two of them.
 */
export const resetUserFactor = sensitiveOperation({
  name: 'user.reset-second-factor',
  permission: { operator: 'user.reset-second-factor', user: 'user.reset-second-factor' },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; userId: string }>({ partnerId: idField, userId: idField }),
  find: ({ models }, { partnerId, userId }) => findUser(models, partnerId, userId),
  atWorst: { moves: 'what the role may do', undo: 'user.remove', two: takesTwo.inLive },
  approval: {
    async shown({ models }, { partnerId, userId }, user, actor) {
      requireResettable(user, { actorIds: [actor.id], kind: 'operator' });
      const mode = modeOfPartner(await findPartner(models, partnerId));
      return { partnerId, userId, name: user.name, role: user.role, mode };
    },
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ partnerId, userId: targetId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal` */
  run: (deps: NotifyDeps, _input, { actor, approvedBy, found }) =>
    takeSecondFactor(deps, found, {
      actorIds: approvedBy === null ? [actor.id] : [actor.id, approvedBy],
      kind: actor.kind === 'user' ? 'owner' : 'operator',
    }),
});

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
  async run({ models }: Pick<AuditLogDeps, 'models'>, { partnerId, invitationId }) {
    const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitationId });
    if (deletedCount > 0) return;
    throw new ServiceError('NOT_FOUND', 'This invitation has already ended.');
  },
});
