import { ServiceError } from '../../domain/errors.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { CommandDeps } from './deps.ts';
import { findOperator } from './find-operator.ts';

/**
 * Ends one token at once. Revoking it again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function revokeOperatorToken(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  operatorId: string,
  tokenId: string,
): Promise<AdminDoc> {
  const { tokens } = await findOperator(models, operatorId);
  if (!tokens.some((token) => token.tokenId === tokenId)) {
    throw new ServiceError('NOT_FOUND', `${operatorId} has no token ${JSON.stringify(tokenId)}.`);
  }
  await models.admins.updateOne(
    { _id: operatorId, tokens: { $elemMatch: { tokenId, revokedAt: null } } },
    { $set: { 'tokens.$.revokedAt': new Date(now()) } },
  );
  return await findOperator(models, operatorId);
}
