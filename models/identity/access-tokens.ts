import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { AccessTokenDoc } from '../schemas/people.ts';
import { touchEveryMs } from './last-use.ts';

/** The most tokens of a user. */
export const maxAccessTokens = 10;

interface TokenDeps {
  models: Models;
  now: () => number;
}

/** Finds a valid token. */
export async function findAccessToken(
  { models, now }: TokenDeps,
  token: string,
): Promise<AccessTokenDoc | null> {
  const found = await models.accessTokens.findOne({ tokenHash: sha256Hex(token) });
  return found && found.expiresAt.getTime() > now() ? found : null;
}

/** Stores that a token was used, once a minute. */
export async function touchAccessToken(
  { models, now }: TokenDeps,
  { _id, lastUsedAt }: AccessTokenDoc,
  address: string,
): Promise<void> {
  if (lastUsedAt !== null && now() - lastUsedAt.getTime() < touchEveryMs) return;
  await models.accessTokens.updateOne(
    { _id },
    { $set: { lastUsedAt: new Date(now()), lastUsedFrom: address } },
  );
}

/** The tokens of a user, the newest first. */
export async function accessTokensOf(
  { models, now }: TokenDeps,
  userId: string,
): Promise<AccessTokenDoc[]> {
  return await models.accessTokens
    .find({ userId, expiresAt: { $gt: new Date(now()) } })
    .sort({ createdAt: -1 })
    .limit(maxAccessTokens);
}

/** Revokes all tokens of a user. */
export async function endAccessTokens(
  { models }: Pick<TokenDeps, 'models'>,
  userId: string,
): Promise<void> {
  await models.accessTokens.deleteMany({ userId });
}
