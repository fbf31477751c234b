import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { introductionsBy } from '../domain/introductions.ts';
import {
  isRaise,
  may,
  type Permission,
  permittedRoles,
  type Role,
  roles,
} from '../domain/operators.ts';
import { defaultOperatorNotices } from '../domain/partners.ts';
import { operatorsId } from '../domain/webhooks.ts';
import { endInvitations } from '../models/identity/end-invitations.ts';
import { areIndependent } from '../models/identity/introductions.ts';
import { findOperator, requireTwoAdmins } from '../models/identity/operators.ts';
import { endSessions } from '../models/identity/sessions.ts';
import { emailKey } from '../models/identity/users.ts';
import type { Models } from '../models/schemas/index.ts';
import type { OperatorDoc, UserDoc } from '../models/schemas/people.ts';
import { insertOnce, isDuplicateKey } from '../models/store/insert-once.ts';
import { saveNotices } from '../models/webhooks/operators.ts';
import { correspondingId } from '../platform/ids.ts';
import { hashPassword } from '../platform/passwords.ts';
import type { NotifyDeps } from './account.ts';
import type { AuditLogDeps } from './deps.ts';
import { emailAddress, idField, shortText } from './fields.ts';
import { operation, sensitiveOperation } from './operation.ts';
import { newOperatorToken, notifyOperator, type RevealedToken } from './operator-tokens.ts';
import { takeSecondFactor } from './users.ts';

/**
 * Creates an operator's user account for the portal, once. Without a password, the operator signs in by
 * email and sets one.
 * @throws ServiceError CONFLICT if the address belongs to another user
 */
export async function createOperatorUser(
  { models, now }: AuditLogDeps,
  { _id: operatorId, name }: Pick<OperatorDoc, '_id' | 'name'>,
  { email, password }: { email: string; password?: string },
): Promise<UserDoc> {
  const user: UserDoc = {
    _id: correspondingId('user', operatorId),
    partnerId: null,
    role: null,
    operatorId,
    name,
    email: emailKey(email),
    passwordHash: password === undefined ? null : await hashPassword(password),
    secondFactor: null,
    createdAt: new Date(now()),
    disabledAt: null,
  };
  try {
    await models.users.create(user);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const standing = await models.users.findOne({ _id: user._id, email: user.email });
    if (standing) return standing;
    throw new ServiceError(
      'CONFLICT',
      'This address already has an account, of an operator or on a partner’s team. Enter another one.',
    );
  }
  return user;
}

export interface OperatorFields {
  name: string;
  role: Role;
  /** For signing in to the portal, where they create their own tokens. */
  email: string;
}

/** Creates an operator, who signs in by email, so that the creator learns no password and no token. */
export const createOperator = sensitiveOperation({
  name: 'operator.create',
  permission: { operator: 'operator.create', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<OperatorFields>({
    name: shortText(100).required(),
    role: Joi.string()
      .valid(...roles)
      .required(),
    email: emailAddress.required(),
  }),
  find: () => null,
  atWorst: { moves: 'what the role may do', undo: 'operator.revoke', two: 'above `viewer`' },
  approval: {
    shown: (_deps, { name, role, email }) => ({ name, role, email }),
    // Otherwise one admin could create the approver of their own proposals.
    needed: ({ role }: { role: Role }) => isRaise('viewer', role),
  },
  audit: ({ name, role }) => ({ partnerId: null, targetId: null, details: { name, role } }),

  /** @throws ServiceError CONFLICT if the address belongs to another user */
  async run(deps: AuditLogDeps, { name, role, email }, { idOf, ...by }): Promise<OperatorDoc> {
    const { models, now } = deps;
    const at = new Date(now());
    const operator: OperatorDoc = {
      _id: idOf('operator'),
      name,
      role,
      tokens: [],
      introductions: introductionsBy(by, at),
      createdAt: at,
      revokedAt: null,
    };
    const { _id: userId } = await createOperatorUser(deps, operator, { email });
    const whose = { partnerId: operatorsId, userId };
    await saveNotices(models, whose, defaultOperatorNotices[role], 'AT_ONCE', at);
    await insertOnce(() => models.operators.create(operator));
    return await findOperator(models, operator._id);
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

/**
 * Creates an operator with a token, for the set-up of an installation. Only a command runs it, because it
 * reveals the token to its caller.
 */
export const createFirstOperator = operation({
  name: 'operator.create',
  permission: { operator: null, user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ name: string; role: Role }>({
    name: shortText(100).required(),
    role: Joi.string()
      .valid(...roles)
      .required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ name, role }) => ({ partnerId: null, targetId: null, details: { name, role } }),

  /** @returns the bearer token in clear text, only once: only its hash is stored */
  async run(deps: AuditLogDeps, { name, role }, { idOf }): Promise<RevealedToken> {
    const { models, now } = deps;
    const { token, stored } = newOperatorToken({ now });
    const operator: OperatorDoc = {
      _id: idOf('operator'),
      name,
      role,
      tokens: [stored],
      introductions: [],
      createdAt: new Date(now()),
      revokedAt: null,
    };
    await models.operators.create(operator);
    return { operator, tokenId: stored.tokenId, token };
  },

  completion: ({ operator: { _id: targetId }, tokenId }) => ({ targetId, details: { tokenId } }),
});

/**
 * Changes an operator's role, from the next request on. The write is conditional on the previous role,
 * which determines whether the change is a raise.
 */
export const changeRole = sensitiveOperation({
  name: 'operator.change-role',
  permission: { operator: 'operator.change-role', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string; role: Role }>({
    operatorId: idField,
    role: Joi.string()
      .valid(...roles)
      .required(),
  }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  atWorst: {
    moves: 'what the role may do',
    undo: 'operator.change-role',
    two: 'for a higher role',
  },
  approval: {
    shown: (_deps, { operatorId, role: to }, { role: from }) => ({ operatorId, from, to }),
    needed: ({ from, to }: { from: Role; to: Role }) => isRaise(from, to),
  },
  audit: ({ operatorId, role: to }, { role: from }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { from, to },
  }),

  /**
   * Open proposals and invitations that the new role does not allow end with the old one.
   * @throws ServiceError CONFLICT if the role has changed in the meantime, and for one of the last two admins
   */
  async run(deps: NotifyDeps, { operatorId, role: to }, { found, ...by }) {
    const { models, now } = deps;
    const from = (by.shown?.from ?? found.role) as Role;
    const introductions = introductionsBy(by, new Date(now()));
    const { modifiedCount } = await models.operators.updateOne(
      { _id: operatorId, role: from },
      {
        $set: { role: to },
        ...(isRaise(from, to) && { $push: { introductions: { $each: introductions } } }),
      },
    );
    if (modifiedCount > 0 && from === 'admin' && found.revokedAt === null) {
      await requireTwoAdmins(models, () =>
        models.operators.updateOne({ _id: operatorId, role: to }, { $set: { role: 'admin' } }),
      );
    }
    await endWhatNeeds(models, operatorId, to);
    const operator = await findOperator(models, operatorId);
    if (operator.role === to) {
      if (modifiedCount > 0)
        await notifyOperator(deps, operatorId, `Your role as an operator is now ${to}.`);
      return operator;
    }
    throw new ServiceError(
      'CONFLICT',
      `The role of ${operatorId} is now ${operator.role}. Reload and try again.`,
    );
  },
});

/**
 * Confirms that an operator whom somebody else introduced is a different person. From then on the two can
 * approve each other's proposals.
 */
export const confirmOperator = operation({
  name: 'operator.confirm',
  permission: { operator: 'operator.confirm', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId }, { introductions }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { introducedBy: introductions.map(({ by }) => by) },
  }),

  /** @throws ServiceError FORBIDDEN if one of the two introduced the other, or one operator introduced both */
  async run(
    { models, now }: AuditLogDeps,
    { operatorId },
    { actor: { id }, found: { introductions } },
  ): Promise<OperatorDoc> {
    if (!(await areIndependent(models, [id, operatorId], now()))) {
      throw new ServiceError(
        'FORBIDDEN',
        'This operator must be confirmed by an operator who was not involved in introducing them.',
      );
    }
    // Only confirms the introductions that were checked, not those added in the meantime.
    const judged = {
      'one.confirmedBy': null,
      'one.at': { $in: introductions.map(({ at }) => at) },
    };
    await models.operators.updateOne(
      { _id: operatorId },
      { $set: { 'introductions.$[one].confirmedBy': id } },
      { arrayFilters: [judged] },
    );
    return await findOperator(models, operatorId);
  },
});

/**
 * Revokes an operator with all tokens, sessions, open proposals and invitations, with immediate effect.
 * Revoking again keeps the first time.
 */
export const revokeOperator = operation({
  name: 'operator.revoke',
  permission: { operator: 'operator.revoke', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId }) => ({ partnerId: null, targetId: operatorId }),

  /** @throws ServiceError CONFLICT for one of the last two admins */
  async run(deps: NotifyDeps, { operatorId }, { found: { role } }) {
    const { models, now } = deps;
    const revokedAt = new Date(now());
    const { modifiedCount } = await models.operators.updateOne(
      { _id: operatorId, revokedAt: null },
      { $set: { revokedAt } },
    );
    if (modifiedCount > 0 && role === 'admin') {
      await requireTwoAdmins(models, () =>
        models.operators.updateOne({ _id: operatorId, revokedAt }, { $set: { revokedAt: null } }),
      );
    }
    // Before the address is removed, which another operator can use from then on.
    if (modifiedCount > 0) await notifyOperator(deps, operatorId, 'You are no longer an operator.');
    const user = await models.users.findOneAndUpdate(
      { operatorId, disabledAt: null },
      {
        $set: {
          disabledAt: new Date(now()),
          email: null,
          passwordHash: null,
          secondFactor: null,
        },
      },
    );
    if (user) await endSessions({ models }, user._id);
    await endWhatNeeds(models, operatorId, null);
    return await findOperator(models, operatorId);
  },
});

/**
 * Ends the open proposals and invitations of an operator that their role does not allow any more.
 * @param role null once they are revoked
 */
async function endWhatNeeds(models: Models, operatorId: string, role: Role | null): Promise<void> {
  const permissions = Object.keys(permittedRoles) as Permission[];
  const lost = permissions.filter((one) => role === null || !may(role, one));
  await models.proposals.updateMany(
    { proposedBy: operatorId, status: 'PROPOSED', action: { $in: lost } },
    { $set: { status: 'FAILED', reason: 'Its proposer is no longer allowed to do this.' } },
  );
  if (lost.includes('partner.invite')) await endInvitations({ models }, operatorId);
}

/** Resets the second factor of an operator who has lost it. */
export const resetOperatorFactor = sensitiveOperation({
  name: 'operator.reset-second-factor',
  permission: { operator: 'operator.reset-second-factor', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  atWorst: { moves: 'what the role may do', undo: 'operator.revoke', two: 'above `viewer`' },
  approval: {
    shown: (_deps, { operatorId }, { name, role }) => ({ operatorId, name, role }),
    needed: ({ role }: { role: Role }) => isRaise('viewer', role),
  },
  audit: ({ operatorId }) => ({ partnerId: null, targetId: operatorId }),

  /**
   * Whoever has a hand in it is an introducer, since the next one to set up a factor may be another person.
   * @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal`
   */
  async run(deps: NotifyDeps, { operatorId }, { actor, approvedBy, shown, found }) {
    const { models, now } = deps;
    const user = await models.users.findOne({ operatorId, disabledAt: null });
    if (!user) throw new ServiceError('CONFLICT', 'This operator cannot sign in to the portal.');
    const introductions = introductionsBy({ actor, approvedBy }, new Date(now()));
    await takeSecondFactor(
      deps,
      user,
      { actorIds: introductions.map(({ by }) => by), kind: 'operator' },
      async () => {
        const { matchedCount } = await models.operators.updateOne(
          { _id: operatorId, role: (shown?.role ?? found.role) as Role },
          { $push: { introductions: { $each: introductions } } },
        );
        if (matchedCount === 0)
          throw new ServiceError('CONFLICT', 'The operator’s role has changed. Propose it again.');
      },
    );
    return await findOperator(models, operatorId);
  },
});
