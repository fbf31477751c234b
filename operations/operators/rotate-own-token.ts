import Joi from 'joi';
import { newId } from '../../platform/ids.ts';
import { operation } from '../operation.ts';
import { addToken, type TokenDeps, tokenDaysOf } from './add-token.ts';

/** Makes one more token of one's own. */
export const rotateOwnToken = operation({
  name: 'own-token.rotate',
  permission: { operator: 'own-token.rotate', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<object>({}),
  find: () => ({ tokenId: newId('operatorToken') }),
  approval: 'NONE',
  audit: (_input, { tokenId }, { id }) => ({
    ...{ partnerId: null, targetId: id },
    details: { tokenId },
  }),

  /** @throws ServiceError CONFLICT for who has two active tokens */
  run: (deps: TokenDeps, _input, { actor: { id }, found: { tokenId } }) =>
    addToken(deps, id, { tokenDays: tokenDaysOf(deps), tokenId }),
});
