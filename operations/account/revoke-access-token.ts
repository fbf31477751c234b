import Joi from 'joi';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { requireFound } from '../../models/store/require-found.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';

/** Revokes one of one's own access tokens, with immediate effect. */
export const revokeAccessToken = operation({
  name: 'own-access-token.revoke',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ accessTokenId: string }>({ accessTokenId: idField }),
  async find({ models }, { accessTokenId: _id }, { id }) {
    const user = await findOwnUser(models, id);
    requireFound(await models.accessTokens.exists({ _id, userId: user._id }), 'access token', _id);
    return user;
  },
  approval: 'NONE',
  audit: ({ accessTokenId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  async run({ models }: Pick<AuditDeps, 'models'>, { accessTokenId }, { found: { _id: userId } }) {
    await models.accessTokens.deleteOne({ _id: accessTokenId, userId });
  },
});
