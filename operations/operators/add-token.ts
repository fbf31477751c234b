import { maxActiveTokens } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { AuditDeps } from '../deps.ts';
import { newOperatorToken, type RevealedToken } from './new-token.ts';

export type TokenDeps = AuditDeps & { config?: { admin: { tokenDays: number } } };

/** The lifetime of a token, unless configured otherwise. */
const defaultTokenDays = 90;

export const tokenDaysOf = ({ config }: TokenDeps): number =>
  config?.admin.tokenDays ?? defaultTokenDays;

/** The number of newest tokens, including ended ones, in an operator's document. */
const keptTokens = 20;

/**
 * Adds a token to an operator; the previous one works until it is revoked or expires. An unused token with
 * the same id is replaced, because the response with it was lost.
 * @throws ServiceError NOT_FOUND, or CONFLICT if the operator is revoked, has two active tokens, or has
 *   used the token with this id
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
  const replaced = await models.operators.findOneAndUpdate(
    {
      _id: operatorId,
      revokedAt: null,
      tokens: { $elemMatch: { tokenId: stored.tokenId, lastUsedAt: null, revokedAt: null } },
    },
    { $set: { 'tokens.$': stored } },
    { returnDocument: 'after' },
  );
  const operator =
    replaced ??
    (await models.operators.findOneAndUpdate(
      {
        _id: operatorId,
        revokedAt: null,
        'tokens.tokenId': { $ne: stored.tokenId },
        $expr: { $lt: [activeTokenCount(now()), maxActiveTokens] },
      },
      { $push: { tokens: { $each: [stored], $slice: -keptTokens } } },
      { returnDocument: 'after' },
    ));
  if (operator) return { operator, tokenId: stored.tokenId, token };
  throw new ServiceError(
    'CONFLICT',
    `${operatorId} is revoked, or has ${maxActiveTokens} active tokens. Revoke one first.`,
  );
}

/** The write is conditional on this count, so that concurrent rotations cannot add a third token. */
function activeTokenCount(at: number) {
  const cond = {
    $and: [{ $eq: ['$$this.revokedAt', null] }, { $gt: ['$$this.expiresAt', new Date(at)] }],
  };
  return { $size: { $filter: { input: '$tokens', cond } } };
}
