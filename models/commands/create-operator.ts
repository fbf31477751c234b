import type { Role } from '../../domain/operator-roles.ts';
import { newId } from '../../platform/ids.ts';
import { insertOnce } from '../insert-once.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { CommandDeps } from './deps.ts';
import { findOperator } from './find-operator.ts';
import { newOperatorToken, type RevealedToken } from './new-operator-token.ts';
import { rotateOperatorToken } from './rotate-operator-token.ts';

/** How long a token holds, unless the configuration says otherwise. */
export const defaultTokenDays = 90;

export interface OperatorFields {
  name: string;
  role: Role;
}

/**
 * Makes an operator. Under an id that is there already, whose token nobody has used, a fresh token
 * takes that one's place: the answer with the first was lost.
 * @returns the bearer token in clear, this once: only its hash is kept
 */
export async function createOperator(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { name, role }: OperatorFields,
  { tokenDays = defaultTokenDays, operatorId = newId('admin') } = {},
): Promise<RevealedToken> {
  const { token, stored } = newOperatorToken({ now, tokenDays });
  const admin: AdminDoc = {
    _id: operatorId,
    name,
    role,
    tokens: [stored],
    createdAt: new Date(now()),
    revokedAt: null,
  };
  if (await insertOnce(() => models.admins.create(admin))) {
    return { admin, tokenId: stored.tokenId, token };
  }
  const { tokens } = await findOperator(models, operatorId);
  const tokenId = tokens[0]?.tokenId;
  return await rotateOperatorToken({ models, now }, operatorId, {
    tokenDays,
    ...(tokenId !== undefined && { tokenId }),
  });
}
