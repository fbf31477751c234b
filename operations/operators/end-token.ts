import { ServiceError } from '../../domain/errors.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import type { AuditDeps } from '../deps.ts';

/**
 * Revokes a token, with immediate effect. Revoking it again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function endToken(
  { models, now }: AuditDeps,
  { _id: operatorId, tokens }: OperatorDoc,
  tokenId: string,
): Promise<OperatorDoc> {
  if (!tokens.some((token) => token.tokenId === tokenId)) {
    throw new ServiceError('NOT_FOUND', `${operatorId} has no token ${JSON.stringify(tokenId)}.`);
  }
  await models.operators.updateOne(
    { _id: operatorId, tokens: { $elemMatch: { tokenId, revokedAt: null } } },
    { $set: { 'tokens.$.revokedAt': new Date(now()) } },
  );
  return await findOperator(models, operatorId);
}
