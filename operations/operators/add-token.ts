import { maxActiveTokens } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { AuditDeps } from '../deps.ts';
import { newOperatorToken, type RevealedToken } from './new-token.ts';

export type TokenDeps = AuditDeps & { config?: { admin: { tokenDays: number } } };

/** How long a token holds, unless the configuration says otherwise. */
const defaultTokenDays = 90;

export const tokenDaysOf = ({ config }: TokenDeps): number =>
  config?.admin.tokenDays ?? defaultTokenDays;

/** How many tokens an operator's record keeps, the newest of them. */
const keptTokens = 20;

/**
 * Gives an operator one more token; the one before works until it is revoked or expires. Under an id
 * that is there already and was never used, it takes that one's place: its answer was lost.
 * @throws ServiceError NOT_FOUND, or CONFLICT when the operator is revoked, has two active tokens, or
 *   has used the one of this id
 */
export async function addToken(
  { models, now }: AuditDeps,
  operatorId: string,
  { tokenDays, tokenId }: { tokenDays: number; tokenId?: string },
): Promise<RevealedToken> {
  await findOperator(models, operatorId);
  const { token, stored } = newOperatorToken({
    now,
    tokenDays,
    ...(tokenId !== undefined && { tokenId }),
  });
  const replaced = await models.operators
    .findOneAndUpdate(
      {
        _id: operatorId,
        revokedAt: null,
        tokens: { $elemMatch: { tokenId: stored.tokenId, lastUsedAt: null, revokedAt: null } },
      },
      { $set: { 'tokens.$': stored } },
      { returnDocument: 'after' },
    )
    .lean();
  const operator =
    replaced ??
    (await models.operators
      .findOneAndUpdate(
        {
          _id: operatorId,
          revokedAt: null,
          'tokens.tokenId': { $ne: stored.tokenId },
          $expr: { $lt: [activeTokenCount(now()), maxActiveTokens] },
        },
        { $push: { tokens: { $each: [stored], $slice: -keptTokens } } },
        { returnDocument: 'after' },
      )
      .lean());
  if (operator) return { operator, tokenId: stored.tokenId, token };
  throw new ServiceError(
    'CONFLICT',
    `${operatorId} is revoked, or has ${maxActiveTokens} active tokens. Revoke one first.`,
  );
}

/** The count is part of the write: two rotations at once cannot make a third. */
function activeTokenCount(at: number) {
  const cond = {
    $and: [{ $eq: ['$$this.revokedAt', null] }, { $gt: ['$$this.expiresAt', new Date(at)] }],
  };
  return { $size: { $filter: { input: '$tokens', cond } } };
}
