import Joi from 'joi';
import { isRaise, type Role, roles } from '../../domain/operator-roles.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/operator.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { emailField, shortText } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { addToken, type TokenDeps, tokenDaysOf } from './add-token.ts';
import { createOperatorUser } from './create-operator-user.ts';
import { newOperatorToken, type RevealedToken } from './new-token.ts';

export interface OperatorFields {
  name: string;
  role: Role;
  /** Signs in to the portal with it. */
  email?: string;
}

/** Makes an operator. */
export const createOperator = sensitiveOperation({
  name: 'operator.create',
  permission: { operator: 'operator.create', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<OperatorFields>({
    name: shortText(100).required(),
    role: Joi.string()
      .valid(...roles)
      .required(),
    email: emailField,
  }),
  find: () => null,
  approval: {
    facts: (_deps, { name, role, email = null }) => ({ name, role, email }),
    // Else an admin could make the second pair of eyes alone.
    needed: ({ role }: { role: Role }) => isRaise('viewer', role),
  },
  audit: ({ name, role }) => ({ partnerId: null, targetId: null, details: { name, role } }),

  /**
   * Under an id that is there already, whose token nobody has used, a fresh token takes that one's place:
   * the answer with the first was lost.
   * @returns the bearer token in clear, this once: only its hash is kept
   * @throws ServiceError CONFLICT where somebody signs in with this address already
   */
  async run(deps: TokenDeps, { name, role, email }, { idOf }): Promise<RevealedToken> {
    const { models, now } = deps;
    const operatorId = idOf('operator');
    const tokenDays = tokenDaysOf(deps);
    const { token, stored } = newOperatorToken({ now, tokenDays });
    const admin: OperatorDoc = {
      _id: operatorId,
      name,
      role,
      tokens: [stored],
      createdAt: new Date(now()),
      revokedAt: null,
    };
    if (email !== undefined) await createOperatorUser(deps, admin, { email });
    if (await insertOnce(() => models.operators.create(admin))) {
      return { admin, tokenId: stored.tokenId, token };
    }
    const { tokens } = await findOperator(models, operatorId);
    const tokenId = tokens[0]?.tokenId;
    return await addToken(deps, operatorId, {
      tokenDays,
      ...(tokenId !== undefined && { tokenId }),
    });
  },

  completion: ({ admin: { _id: targetId }, tokenId }) => ({ targetId, details: { tokenId } }),
});
