import Joi from 'joi';
import { endAccessTokens } from '../../models/identity/access-tokens.ts';
import { endOperatorTokens } from '../../models/identity/operator-tokens.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { endSessions } from '../../models/identity/sessions.ts';
import { hashPassword } from '../../platform/passwords.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { type NotifyDeps, notifyOfChange } from './notify-of-change.ts';

/** Sets one's own password, and ends all other sessions and all tokens. */
export const changePassword = operation({
  name: 'own-password.change',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ password: string; sessionId: string }>({
    password: Joi.string().min(12).max(200).required(),
    sessionId: idField,
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: (_input, { partnerId, _id: targetId }) => ({ partnerId, targetId }),

  async run(
    deps: Pick<AuditDeps, 'models'> & NotifyDeps,
    { password, sessionId },
    { found: user },
  ) {
    const { models } = deps;
    const { _id: userId, operatorId, secondFactor } = user;
    const passwordHash = await hashPassword(password);
    // The user has entered the second factor, so wrong codes entered by others no longer count.
    const forgiven = secondFactor === null ? {} : { $unset: { wrongCodes: '' } };
    await models.users.updateOne({ _id: userId }, { $set: { passwordHash }, ...forgiven });
    await endSessions({ models }, userId, sessionId);
    await endAccessTokens({ models }, userId);
    await endOperatorTokens(deps, operatorId);
    await notifyOfChange(
      deps,
      user,
      'Your password was changed, and other browsers are signed out.',
    );
  },
});
