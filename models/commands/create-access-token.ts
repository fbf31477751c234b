import { ServiceError } from '../../domain/errors.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { maxAccessTokens } from '../access-tokens.ts';
import type { AccessTokenDoc } from '../schemas/access-token.ts';
import type { CommandDeps } from './deps.ts';

/**
 * Makes a token that lets a program do in its user's name what programs may.
 * @returns the token in clear, this once
 * @throws ServiceError CONFLICT for a user who has as many as one may have
 */
export async function createAccessToken(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  {
    partnerId,
    userId,
    name,
    days,
  }: Record<'partnerId' | 'userId' | 'name', string> & { days: number },
): Promise<{ accessToken: AccessTokenDoc; token: string }> {
  const token = `pat_${newToken()}`;
  const accessToken: AccessTokenDoc = {
    ...{ _id: newId('accessToken'), partnerId, userId, name, tokenHash: sha256Hex(token) },
    createdAt: new Date(now()),
    expiresAt: new Date(now() + days * dayMs),
    lastUsedAt: null,
    lastUsedFrom: null,
  };
  const { _id, createdAt } = accessToken;
  await models.accessTokens.create(accessToken);
  // Counted with this one, so that of several at once none is past what the page of the account lists.
  const held = await models.accessTokens.countDocuments({ userId, expiresAt: { $gt: createdAt } });
  if (held <= maxAccessTokens) return { accessToken, token };
  await models.accessTokens.deleteOne({ _id, userId });
  throw new ServiceError(
    'CONFLICT',
    `You have ${maxAccessTokens} access tokens already. Revoke one that nothing uses any more.`,
  );
}
