import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { findCredential } from '../identity/credentials.ts';
import { findIntegration } from '../identity/integrations.ts';
import { findPartner } from '../identity/partners.ts';
import type { CredentialDoc } from '../schemas/integrations.ts';
import { type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';
import { integrationNames } from './integration-names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest TEST keys to choose from. */
const maxTestKeys = 100;

/**
 * A key of a partner.
 * @throws ServiceError NOT_FOUND, also for another partner's or another mode's
 */
export async function findOwnKey(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<CredentialDoc> {
  const key = await models.credentials.findOne({ partnerId, _id, ...(mode && { mode }) });
  if (key) return key;
  throw new ServiceError('NOT_FOUND', 'There is no such key.');
}

/** The key that a secret belongs to. @throws ServiceError NOT_FOUND, also for another partner's or mode's */
export async function findOwnKeyOfSecret(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  secretId: string,
  mode: Mode,
): Promise<CredentialDoc> {
  const key = await models.credentials.findOne({ partnerId, mode, 'secrets.secretId': secretId });
  if (key) return key;
  throw new ServiceError('NOT_FOUND', 'There is no such secret.');
}

/** A page of a partner's keys of a mode, with the names of their integrations. */
export async function readKeys(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
) {
  const keys = await page(models.credentials, [{ partnerId, mode }], query, (key) => key);
  return { ...keys, nameOf: await integrationNames(models, partnerId, keys.items) };
}

export type Keys = Awaited<ReturnType<typeof readKeys>>;

/** A key with the name of its integration. @throws ServiceError NOT_FOUND */
export async function readKey(deps: ModelDeps, partnerId: PartnerScope, _id: string) {
  const key = await findOwnKey(deps, partnerId, _id);
  const nameOf = await integrationNames(deps.models, partnerId, [key]);
  return { key, integrationName: nameOf(key.integrationId) };
}

export type KeyDetails = Awaited<ReturnType<typeof readKey>>;

/** The newest TEST keys that are not revoked. */
export async function readTestKeys(
  { models }: ModelDeps,
  partnerId: PartnerScope,
): Promise<CredentialDoc[]> {
  return await models.credentials
    .find({ partnerId, mode: 'TEST', revokedAt: null })
    .sort({ _id: -1 })
    .limit(maxTestKeys);
}

/** A TEST key that is not revoked; null if there is none with this id. */
export async function findActiveTestKey(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<CredentialDoc | null> {
  return await models.credentials.findOne({ partnerId, _id, mode: 'TEST', revokedAt: null });
}

/** A key of any partner, for operators. @throws ServiceError NOT_FOUND */
export async function readAnyKey({ models }: ModelDeps, credentialId: string) {
  const key = await findCredential(models, credentialId);
  const [partner, integration] = await Promise.all([
    findPartner(models, key.partnerId),
    findIntegration(models, key.integrationId),
  ]);
  return { key, partner, integration };
}

export type AnyKey = Awaited<ReturnType<typeof readAnyKey>>;
