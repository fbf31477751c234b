import Joi from 'joi';
import { findOperator } from '../../models/identity/operators.ts';
import { idField } from '../fields.ts';
import { always, sensitiveOperation } from '../operation.ts';
import { addToken, type TokenDeps, tokenDaysOf } from './add-token.ts';

/** Gives another operator one more token; the one before works until it is revoked or expires. */
export const rotateOperatorToken = sensitiveOperation({
  name: 'operator.rotate-token',
  permission: { operator: 'operator.rotate-token', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: {
    facts: (_deps, { operatorId }, { name, role }) => ({ operatorId, name, role }),
    needed: always,
  },
  audit: ({ operatorId }) => ({ partnerId: null, targetId: operatorId }),

  /** @throws ServiceError CONFLICT when the operator is revoked, or has two active tokens */
  run: (deps: TokenDeps, { operatorId }, { idOf }) =>
    addToken(deps, operatorId, { tokenDays: tokenDaysOf(deps), tokenId: idOf('operatorToken') }),

  completion: ({ tokenId }) => ({ details: { tokenId } }),
});
