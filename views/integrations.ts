import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { maxIntegrations } from '../domain/partners.ts';
import { findCredential } from '../models/identity/credentials.ts';
import { findIntegration } from '../models/identity/integrations.ts';
import { findPartner } from '../models/identity/partners.ts';
import type {
  CredentialDoc,
  IntegrationDoc,
  ServiceAccountDoc,
} from '../models/schemas/integrations.ts';
import { type PageQuery, readPage } from '../models/store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { integrationNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest keys shown of an integration; the list of keys has all. */
const maxKeys = 25;

/** An integration of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export async function findOwnIntegration(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<IntegrationDoc> {
  const integration = await models.integrations.findOne({ partnerId, _id });
  if (integration) return integration;
  throw new ServiceError('NOT_FOUND', 'There is no such integration.');
}

/** A page of a partner's integrations, with the numbers of their active keys. */
export async function readIntegrations(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  query: PageQuery,
) {
  const { items, nextCursor } = await readPage(
    models.integrations,
    [{ partnerId }],
    query,
    (integration) => integration,
  );
  const keys = await models.credentials.aggregate<{ _id: string; TEST: number; LIVE: number }>([
    {
      $match: { partnerId, integrationId: { $in: items.map(({ _id }) => _id) }, revokedAt: null },
    },
    {
      $group: {
        _id: '$integrationId',
        TEST: { $sum: { $cond: [{ $eq: ['$mode', 'TEST'] }, 1, 0] } },
        LIVE: { $sum: { $cond: [{ $eq: ['$mode', 'LIVE'] }, 1, 0] } },
      },
    },
  ]);
  return { items, nextCursor, keysOf: new Map(keys.map((one) => [one._id, one])) };
}

export type Integrations = Awaited<ReturnType<typeof readIntegrations>>;

/** An integration with its newest keys of a mode. @throws ServiceError NOT_FOUND */
export async function readIntegration(
  deps: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
  mode: Mode,
) {
  const { models } = deps;
  const integration = await findOwnIntegration(deps, partnerId, _id);
  const keys = await models.credentials
    .find({ partnerId, integrationId: _id, mode })
    .sort({ _id: -1 })
    .limit(maxKeys);
  return { integration, keys };
}

export type IntegrationDetails = Awaited<ReturnType<typeof readIntegration>>;

/** All integrations of a partner as the options of a select, newest first. */
export async function integrationChoices(
  { models }: ModelDeps,
  partnerId: PartnerScope,
): Promise<{ value: string; text: string }[]> {
  const all = await models.integrations
    .find({ partnerId }, { name: 1 })
    .sort({ _id: -1 })
    .limit(maxIntegrations);
  return all.map(({ _id, name }) => ({ value: _id, text: name }));
}

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
  mode?: Mode,
): Promise<CredentialDoc> {
  const among = { partnerId, ...(mode && { mode }), 'secrets.secretId': secretId };
  const key = await models.credentials.findOne(among);
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
  const keys = await readPage(models.credentials, [{ partnerId, mode }], query, (key) => key);
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

/** An integration of any partner, for operators. @throws ServiceError NOT_FOUND */
export async function readAnyIntegration({ models }: ModelDeps, integrationId: string) {
  const integration = await findIntegration(models, integrationId);
  return { integration, partner: await findPartner(models, integration.partnerId) };
}

export type AnyIntegration = Awaited<ReturnType<typeof readAnyIntegration>>;

const maxShownAccounts = 100;

/** A partner's newest service accounts of a mode, including revoked and expired ones. */
export async function readServiceAccounts(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<ServiceAccountDoc[]> {
  return await models.serviceAccounts
    .find({ partnerId, mode })
    .sort({ _id: -1 })
    .limit(maxShownAccounts);
}

/** A service account of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export async function findOwnServiceAccount(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<ServiceAccountDoc> {
  const account = await models.serviceAccounts.findOne({ partnerId, _id });
  if (account) return account;
  throw new ServiceError('NOT_FOUND', 'There is no such service account.');
}
