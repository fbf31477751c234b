import Joi from 'joi';
import { newId } from '../../platform/ids.ts';
import { operation } from '../operation.ts';
import { addToken, type TokenDeps, tokenDaysOf } from './add-token.ts';
import type { RevealedToken } from './new-token.ts';
import { type NotifyOperatorDeps, notifyOperator } from './notify-operator.ts';

/** Creates another token of one's own. */
export const rotateOwnToken = operation({
  name: 'own-token.rotate',
  permission: { operator: 'own-token.rotate', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<object>({}),
  find: () => ({ tokenId: newId('operatorToken') }),
  approval: 'NONE',
  audit: (_input, { tokenId }, { id }) => ({
    partnerId: null,
    targetId: id,
    details: { tokenId },
  }),

  /** @throws ServiceError CONFLICT for an operator with two active tokens */
  async run(
    deps: TokenDeps & NotifyOperatorDeps,
    _input,
    { actor: { id }, found: { tokenId } },
  ): Promise<RevealedToken> {
    const revealed = await addToken(deps, id, { tokenDays: tokenDaysOf(deps), tokenId });
    await notifyOperator(deps, id, `The operator’s token ${tokenId} was created for you.`);
    return revealed;
  },
});
