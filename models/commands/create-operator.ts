import type { Role } from '../../domain/operator-roles.ts';
import { newId } from '../../platform/ids.ts';
import { insertOnce } from '../insert-once.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import { createOperatorUser } from './create-operator-user.ts';
import type { CommandDeps } from './deps.ts';
import { findOperator } from './find-operator.ts';
import { newOperatorToken, type RevealedToken } from './new-operator-token.ts';
import { rotateOperatorToken } from './rotate-operator-token.ts';

/** How long a token holds, unless the configuration says otherwise. */
const defaultTokenDays = 90;

export interface OperatorFields {
  name: string;
  role: Role;
  /** Signs in to the portal with it. */
  email?: string;
}

interface OperatorTerms {
  tokenDays?: number;
  operatorId?: string;
  /** For the portal; without one the operator signs in by mail, and sets it there. */
  password?: string;
}

/**
 * Makes an operator. Under an id that is there already, whose token nobody has used, a fresh token
 * takes that one's place: the answer with the first was lost.
 * @returns the bearer token in clear, this once: only its hash is kept
 * @throws ServiceError CONFLICT where somebody signs in with this address already
 */
export async function createOperator(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { name, role, email }: OperatorFields,
  { tokenDays = defaultTokenDays, operatorId = newId('admin'), password }: OperatorTerms = {},
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
  if (email !== undefined) {
    await createOperatorUser({ models, now }, admin, {
      email,
      ...(password !== undefined && { password }),
    });
  }
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
