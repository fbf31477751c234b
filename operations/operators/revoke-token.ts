import Joi from 'joi';
import { findOperator } from '../../models/identity/operators.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { endToken } from './end-token.ts';
import { type NotifyOperatorDeps, notifyOperator } from './notify-operator.ts';

/** Revokes another operator's token. */
export const revokeOperatorToken = operation({
  name: 'operator.revoke-token',
  permission: { operator: 'operator.revoke-token', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string; tokenId: string }>({
    operatorId: idField,
    tokenId: idField,
  }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId, tokenId }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { tokenId },
  }),

  /** @throws ServiceError NOT_FOUND */
  async run(deps: NotifyOperatorDeps, { operatorId, tokenId }, { found }) {
    const operator = await endToken(deps, found, tokenId);
    await notifyOperator(
      deps,
      operatorId,
      `Your operator’s token ${tokenId} was revoked by another operator.`,
    );
    return operator;
  },
});
