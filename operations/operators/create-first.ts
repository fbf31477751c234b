import Joi from 'joi';
import { type Role, roles } from '../../domain/operator-roles.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import { shortText } from '../fields.ts';
import { operation } from '../operation.ts';
import { type TokenDeps, tokenDaysOf } from './add-token.ts';
import { newOperatorToken, type RevealedToken } from './new-token.ts';

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
  async run(deps: TokenDeps, { name, role }, { idOf }): Promise<RevealedToken> {
    const { models, now } = deps;
    const { token, stored } = newOperatorToken({ now, tokenDays: tokenDaysOf(deps) });
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
