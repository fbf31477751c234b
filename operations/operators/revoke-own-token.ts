import Joi from 'joi';
import { findOperator } from '../../models/identity/operators.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { endToken } from './end-token.ts';
import { type NotifyOperatorDeps, notifyOperator } from './notify-operator.ts';

/** Revokes one of one's own tokens. */
export const revokeOwnToken = operation({
  name: 'own-token.revoke',
  permission: { operator: 'own-token.revoke', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ tokenId: string }>({ tokenId: idField }),
  find: ({ models }, _input, { id }) => findOperator(models, id),
  approval: 'NONE',
  audit: ({ tokenId }, _found, { id }) => ({
    partnerId: null,
    targetId: id,
    details: { tokenId },
  }),

  /** @throws ServiceError NOT_FOUND */
  async run(deps: NotifyOperatorDeps, { tokenId }, { found }) {
    const operator = await endToken(deps, found, tokenId);
    await notifyOperator(
      deps,
      found._id,
      `Your operator’s token ${tokenId} was revoked from your own account.`,
    );
    return operator;
  },
});
