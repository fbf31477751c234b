import Joi from 'joi';
import {
  type Earns,
  earningParts,
  isShopSecret,
  maxConnectionSecrets,
  maxConnections,
  type Platform,
  platforms,
  shopIn,
  usualEarns,
} from '../domain/connections.ts';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { readKeyIn } from '../domain/shop-repair.ts';
import { findConnection, readKeyContext } from '../models/identity/connections.ts';
import { requireIntegration } from '../models/identity/integrations.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { ConnectionDoc, ConnectionSecretDoc } from '../models/schemas/connections.ts';
import { writeWithinLimit } from '../models/store/write-within-limit.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps, SecretDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

/** Operators get no connection: its secret speaks for the partner. */
const permission = {
  operator: null,
  user: { TEST: 'credential.test', LIVE: 'credential.live' },
} as const;

interface NewConnection {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  platform: Platform;
  /** The shop's address; not for Stripe. */
  shop: string;
  /** The platform's signing secret. */
  secret: string;
}

/** @throws ServiceError VALIDATION_FAILED */
function secretOf(platform: Platform, text: string): string {
  const secret = text.trim();
  if (isShopSecret(platform, secret)) return secret;
  throw invalidFields({
    secret:
      platform === 'STRIPE'
        ? 'secret must be the signing secret of the webhook, which begins with whsec_'
        : 'secret must be the signing secret of the webhooks: 16 to 255 characters',
  });
}

function sealed(
  { sealer, now }: SecretDeps,
  connectionId: string,
  secret: string,
): ConnectionSecretDoc {
  return {
    secretId: newId('secret'),
    sealed: sealer.seal(secret, connectionId),
    createdAt: new Date(now()),
    lastUsedAt: null,
  };
}

/** Connects a shop's platform to an integration. Its secret is stored sealed, and shown to nobody. */
export const createConnection = operation({
  name: 'connection.create',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<NewConnection>({
    partnerId: idField,
    integrationId: idField,
    mode: Joi.valid(...modes).required(),
    platform: Joi.valid(...platforms).required(),
    shop: Joi.string().max(255).allow('').required(),
    secret: Joi.string().max(512).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, integrationId, mode, platform, shop }) => ({
    targetId: null,
    partnerId,
    details: { integrationId, mode, platform, shop: shopIn(platform, shop) ?? null },
  }),

  /**
   * @throws ServiceError VALIDATION_FAILED for an address or a secret that is none; CONFLICT for a LIVE connection of
   *   a partner that is not live, and for a partner with the maximum number of connections
   */
  async run(
    deps: SecretDeps,
    { partnerId, integrationId, mode, platform, ...given },
    { found: partner },
  ): Promise<ConnectionDoc> {
    const { models, now } = deps;
    await requireIntegration(models, partnerId, integrationId);
    const shop = shopIn(platform, given.shop);
    if (shop === undefined) {
      const example = platform === 'SHOPIFY' ? 'teapots.myshopify.com' : 'https://shop.example.com';
      throw invalidFields({ shop: `shop must be the address of the shop, such as ${example}` });
    }
    const secret = secretOf(platform, given.secret);
    if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
      const message = `${partnerId} is not live. LIVE connections can be made once its go-live is approved.`;
      throw new ServiceError('CONFLICT', message);
    }
    const _id = newId('connection');
    const connection: ConnectionDoc = {
      _id,
      partnerId,
      integrationId,
      mode,
      platform,
      shop,
      secrets: [sealed(deps, _id, secret)],
      earns: usualEarns,
      seen: { deliveries: 0, purchases: 0, refunds: 0, repeats: 0, ignored: 0, refused: 0 },
      readKey: null,
      askAt: null,
      askedUpTo: null,
      repair: null,
      resumedAt: null,
      createdAt: new Date(now()),
      pausedAt: null,
      endedAt: null,
    };
    const active = { partnerId, endedAt: null };
    const isWritten = await writeWithinLimit(
      models,
      { partnerId, max: maxConnections },
      (session) => models.connections.countDocuments(active, { session }),
      (session) => models.connections.create([connection], { session }),
    );
    if (isWritten) return connection;
    const message = `${partnerId} has ${maxConnections} connections, the maximum. Remove one first.`;
    throw new ServiceError('CONFLICT', message);
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

interface ConnectionKey {
  partnerId: string;
  connectionId: string;
}

const keyFields = { partnerId: idField, connectionId: idField };

interface Change extends ConnectionKey {
  isPaused?: boolean;
  earns?: Earns;
}

const earnsField = Joi.object<Earns>(
  Object.fromEntries(earningParts.map((part) => [part, Joi.boolean().required()])),
);

/** Pauses or resumes a connection, or changes what earns points, for later purchases. */
export const updateConnection = operation({
  name: 'connection.update',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<Change>({ ...keyFields, isPaused: Joi.boolean(), earns: earnsField }),
  approval: 'NONE',
  find: ({ models }, key) => findConnection(models, key),
  audit: ({ partnerId, connectionId, isPaused, earns }) => ({
    targetId: connectionId,
    partnerId,
    details: { ...(isPaused !== undefined && { isPaused }), ...(earns && { earns: { ...earns } }) },
  }),

  async run(
    { models, now }: AuditLogDeps,
    { partnerId, connectionId, isPaused, earns },
  ): Promise<ConnectionDoc> {
    const at = new Date(now());
    const key = { partnerId, _id: connectionId };
    if (isPaused === true) await models.connections.updateOne(key, { $set: { pausedAt: at } });
    if (isPaused === false) {
      // What was bought in the pause is not counted afterwards.
      await models.connections.updateOne(
        { ...key, pausedAt: { $ne: null } },
        { $set: { pausedAt: null, resumedAt: at } },
      );
    }
    if (earns) await models.connections.updateOne(key, { $set: { earns } });
    return await findConnection(models, { partnerId, connectionId });
  },
});

/** Adds a second secret, so that the platform can change to it without a delivery being refused. */
export const addConnectionSecret = operation({
  name: 'connection.add-secret',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<ConnectionKey & { secret: string }>({
    ...keyFields,
    secret: Joi.string().max(512).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId, connectionId }) =>
    findConnection(models, { partnerId, connectionId }),
  audit: ({ partnerId, connectionId }) => ({ targetId: connectionId, partnerId }),

  /** @throws ServiceError VALIDATION_FAILED; CONFLICT if it has two */
  async run(
    deps: SecretDeps,
    { partnerId, connectionId, secret },
    { found: { platform } },
  ): Promise<ConnectionDoc> {
    const { models } = deps;
    const stored = sealed(deps, connectionId, secretOf(platform, secret));
    const last = `secrets.${maxConnectionSecrets - 1}`;
    const { modifiedCount } = await models.connections.updateOne(
      { partnerId, _id: connectionId, endedAt: null, [last]: { $exists: false } },
      { $push: { secrets: { $each: [stored], $position: 0 } } },
    );
    if (modifiedCount === 1) return await findConnection(models, { partnerId, connectionId });
    const message = `${connectionId} has ${maxConnectionSecrets} secrets. Remove the old one first.`;
    throw new ServiceError('CONFLICT', message);
  },
});

/** Removes the old secret once the platform signs with the new one. */
export const removeConnectionSecret = operation({
  name: 'connection.remove-secret',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<ConnectionKey & { secretId: string }>({ ...keyFields, secretId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId, connectionId }) =>
    findConnection(models, { partnerId, connectionId }),
  audit: ({ partnerId, connectionId, secretId }) => ({
    targetId: connectionId,
    partnerId,
    details: { secretId },
  }),

  /** @throws ServiceError CONFLICT for the only one */
  async run(
    { models }: AuditLogDeps,
    { partnerId, connectionId, secretId },
    { found: { secrets } },
  ): Promise<ConnectionDoc> {
    if (secrets.some((one) => one.secretId === secretId)) {
      const { modifiedCount } = await models.connections.updateOne(
        { partnerId, _id: connectionId, 'secrets.1': { $exists: true } },
        { $pull: { secrets: { secretId } } },
      );
      if (modifiedCount === 0) {
        const message = `${connectionId} has one secret. Add the new one first, or remove the connection.`;
        throw new ServiceError('CONFLICT', message);
      }
    }
    return await findConnection(models, { partnerId, connectionId });
  },
});

interface ReadKey extends ConnectionKey {
  /** Of WooCommerce, the consumer key. */
  readSecret: string;
  /** Of WooCommerce; empty otherwise. */
  consumerSecret: string;
}

/** What a key that reads orders looks like. */
function readKeyWords(platform: Platform, mode: Mode): string {
  if (platform === 'SHOPIFY') return 'an Admin API access token, which begins with shpat_';
  if (platform === 'STRIPE') {
    return `a restricted key of this mode, which begins with rk_${mode.toLowerCase()}_`;
  }
  return 'a consumer key, which begins with ck_, and its secret, which begins with cs_';
}

/** Saves the key by which the shop is asked every day what was bought and refunded. It is shown to nobody. */
export const setConnectionReadKey = operation({
  name: 'connection.set-read-key',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<ReadKey>({
    ...keyFields,
    readSecret: Joi.string().max(512).required(),
    consumerSecret: Joi.string().max(512).allow('').required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId, connectionId }) =>
    findConnection(models, { partnerId, connectionId }),
  audit: ({ partnerId, connectionId }) => ({ targetId: connectionId, partnerId }),

  /** @throws ServiceError VALIDATION_FAILED */
  async run(
    { models, sealer, now }: SecretDeps,
    { partnerId, connectionId, readSecret: key, consumerSecret: secret },
    { found: { platform, mode } },
  ): Promise<ConnectionDoc> {
    const readKey = readKeyIn(platform, mode, { key, secret });
    if (readKey === undefined) {
      throw invalidFields({ readSecret: `readSecret must be ${readKeyWords(platform, mode)}` });
    }
    const sealed = sealer.seal(readKey, readKeyContext(connectionId));
    const at = new Date(now());
    await models.connections.updateOne(
      { partnerId, _id: connectionId, endedAt: null },
      { $set: { readKey: { sealed, savedAt: at }, askAt: at } },
    );
    return await findConnection(models, { partnerId, connectionId });
  },
});

/** Removes the key: the shop is not asked any more. */
export const removeConnectionReadKey = operation({
  name: 'connection.remove-read-key',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<ConnectionKey>(keyFields),
  approval: 'NONE',
  find: ({ models }, key) => findConnection(models, key),
  audit: ({ partnerId, connectionId }) => ({ targetId: connectionId, partnerId }),

  async run({ models }: AuditLogDeps, { partnerId, connectionId }): Promise<ConnectionDoc> {
    await models.connections.updateOne(
      { partnerId, _id: connectionId },
      { $set: { readKey: null, askAt: null } },
    );
    return await findConnection(models, { partnerId, connectionId });
  },
});

/** Removes a connection: its address stops working within seconds. What it reported stays. */
export const endConnection = operation({
  name: 'connection.end',
  permission,
  secondFactor: 'LIVE',
  input: Joi.object<ConnectionKey>(keyFields),
  approval: 'NONE',
  find: ({ models }, key) => findConnection(models, key),
  audit: ({ partnerId, connectionId }) => ({ targetId: connectionId, partnerId }),

  async run({ models, now }: AuditLogDeps, { partnerId, connectionId: _id }): Promise<void> {
    await models.connections.updateOne(
      { partnerId, _id },
      { $set: { endedAt: new Date(now()), secrets: [], readKey: null, askAt: null } },
    );
  },
});
