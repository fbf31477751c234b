import { accessState } from '../../domain/partners.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { ServiceAccountDoc, ServiceTokenDoc } from '../schemas/integrations.ts';
import { requireFound } from '../store/require-found.ts';
import { touchEveryMs } from './last-use.ts';

interface Deps {
  models: Models;
  now: () => number;
}

/** A new token: in clear for its owner, hashed for the database. */
export function newServiceToken(now: Date): { token: string; stored: ServiceTokenDoc } {
  const token = `psa_${newToken()}`;
  const stored = {
    tokenHash: sha256Hex(token),
    createdAt: now,
    endsAt: null,
    lastUsedAt: null,
    lastUsedFrom: null,
  };
  return { token, stored };
}

/** @throws ServiceError NOT_FOUND, for another partner's too */
export async function findServiceAccount(
  models: Models,
  partnerId: string,
  _id: string,
): Promise<ServiceAccountDoc> {
  const account = await models.serviceAccounts.findOne({ partnerId, _id });
  return requireFound(account, 'service account', _id);
}

/** The account of a token, with that token, if both are valid. */
export async function authenticateServiceAccount(
  { models, now }: Deps,
  token: string,
): Promise<{ account: ServiceAccountDoc; shown: ServiceTokenDoc } | null> {
  const tokenHash = sha256Hex(token);
  const account = await models.serviceAccounts.findOne({ 'tokens.tokenHash': tokenHash });
  const shown = account?.tokens.find((one) => one.tokenHash === tokenHash);
  if (!account || !shown || accessState(account, now()) !== 'ACTIVE') return null;
  return shown.endsAt !== null && shown.endsAt.getTime() <= now() ? null : { account, shown };
}

/** Stores that a token was used, once a minute. */
export async function touchServiceToken(
  { models, now }: Deps,
  { _id, partnerId }: ServiceAccountDoc,
  { tokenHash, lastUsedAt }: ServiceTokenDoc,
  address: string,
): Promise<void> {
  if (lastUsedAt !== null && now() - lastUsedAt.getTime() < touchEveryMs) return;
  await models.serviceAccounts.updateOne(
    { partnerId, _id, 'tokens.tokenHash': tokenHash },
    { $set: { 'tokens.$.lastUsedAt': new Date(now()), 'tokens.$.lastUsedFrom': address } },
  );
}
