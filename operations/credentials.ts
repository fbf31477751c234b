import Joi from 'joi';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { liveKeyDays, maxActiveKeys, maxActiveSecrets, scopes } from '../domain/partners.ts';
import { dayMs } from '../domain/utc-days.ts';
import { findCredential } from '../models/identity/credentials.ts';
import { requireIntegration } from '../models/identity/integrations.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { CredentialDoc, Scope, SecretDoc } from '../models/schemas/integrations.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { hasRoom } from '../models/store/write-within-limit.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { credentialAnnounced } from '../models/webhooks/announcements.ts';
import { newToken } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import type { Actor } from './actor.ts';
import type { AuditLogDeps, OperationDeps, SecretDeps } from './deps.ts';
import { idField } from './fields.ts';
import { type NotifyOwnersDeps, notifyOwners } from './notify-owners.ts';
import { operation, sensitiveOperation, takesTwo } from './operation.ts';

/** A signing secret in clear text, which is shown only once and stored sealed. */
export interface RevealedSecret {
  credential: CredentialDoc;
  secretId: string;
  /** Null for operators in LIVE: an owner of the partner is shown it. */
  secret: string | null;
}

/** A secret that is shown to whom it is for. @throws Error if it is not for them */
export function shownSecret(secret: string | null): string {
  if (secret === null) throw new Error('this secret is for an owner of the partner');
  return secret;
}

/**
 * A new signing secret: in clear text for the response, and sealed for the database.
 * @param lifeMs null if it does not expire
 */
function newSecret(
  { sealer, now }: Pick<OperationDeps, 'sealer' | 'now'>,
  { _id: credentialId, mode }: Pick<CredentialDoc, '_id' | 'mode'>,
  lifeMs: number | null,
  { secretId = newId('secret'), awaitsOwner }: { secretId?: string; awaitsOwner: boolean },
): { secret: string; stored: SecretDoc } {
  const secret = `sk_${mode.toLowerCase()}_${newToken()}`;
  const stored: SecretDoc = {
    secretId,
    sealed: sealer.seal(secret, credentialId),
    createdAt: new Date(now()),
    expiresAt: lifeMs === null ? null : new Date(now() + lifeMs),
    lastUsedAt: null,
    revokedAt: null,
    ...(awaitsOwner && { awaitsOwner }),
  };
  return { secret, stored };
}

/** A LIVE secret acts for the partner, so what operators make is shown to an owner of the partner alone. */
export const awaitsOwner = (actor: Actor, { mode }: { mode: Mode }): boolean =>
  actor.kind === 'operator' && mode === 'LIVE';

const activeSecretCount = (at: Date) => ({
  $size: {
    $filter: {
      input: '$secrets',
      cond: {
        $and: [
          { $eq: ['$$this.revokedAt', null] },
          { $or: [{ $eq: ['$$this.expiresAt', null] }, { $gt: ['$$this.expiresAt', at] }] },
        ],
      },
    },
  },
});

/** How long the newest secret of a key works from its creation; the next one works as long. */
function lifeMsOf({ secrets }: CredentialDoc): number | null {
  const newest = secrets.at(-1);
  return newest?.expiresAt ? +newest.expiresAt - +newest.createdAt : null;
}

/**
 * Adds a second active secret, so that a partner can switch without an outage (docs/integrate/requests.md, Authentication); it works as long as the one before. The write is conditional on the count, so that
 * concurrent rotations cannot add a third. An unused secret with the same id is replaced, because the
 * response with it was lost; one that an owner is shown stays.
 * @throws ServiceError NOT_FOUND, or CONFLICT if the credential is revoked or has two secrets already
 */
export async function addSecret(
  deps: SecretDeps,
  credentialId: string,
  actor: Actor,
  secretId?: string,
): Promise<RevealedSecret> {
  const { models } = deps;
  const found = await findCredential(models, credentialId);
  const { partnerId } = found;
  const isHidden = awaitsOwner(actor, found);
  const made = newSecret(deps, found, lifeMsOf(found), {
    ...(secretId !== undefined && { secretId }),
    awaitsOwner: isHidden,
  });
  const { stored } = made;
  const secret = isHidden ? null : made.secret;
  if (isHidden && found.secrets.some((one) => one.secretId === stored.secretId)) {
    return { credential: found, secretId: stored.secretId, secret };
  }
  const replaced = await models.credentials.findOneAndUpdate(
    {
      partnerId,
      _id: credentialId,
      revokedAt: null,
      secrets: { $elemMatch: { secretId: stored.secretId, lastUsedAt: null, revokedAt: null } },
    },
    { $set: { 'secrets.$': stored } },
    { returnDocument: 'after' },
  );
  if (replaced) return { credential: replaced, secretId: stored.secretId, secret };
  const credential = await models.credentials.findOneAndUpdate(
    {
      partnerId,
      _id: credentialId,
      revokedAt: null,
      'secrets.secretId': { $ne: stored.secretId },
      $expr: { $lt: [activeSecretCount(stored.createdAt), maxActiveSecrets] },
    },
    { $push: { secrets: stored } },
    { returnDocument: 'after' },
  );
  if (credential) return { credential, secretId: stored.secretId, secret };
  const { revokedAt } = await findCredential(models, credentialId);
  throw new ServiceError(
    'CONFLICT',
    revokedAt
      ? `${credentialId} is revoked. Create a new credential.`
      : `${credentialId} has ${maxActiveSecrets} active secrets. Revoke one first.`,
  );
}

export interface CredentialFields {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  scopes: Scope[];
  /** Days until its secrets expire; LIVE only. */
  days?: number | undefined;
}

const lifeDays = ({ mode, days }: Pick<CredentialFields, 'mode' | 'days'>): number | null =>
  mode === 'LIVE' ? (days ?? liveKeyDays.default) : null;

/** Creates an API key with its first signing secret (docs/integrate/requests.md, Authentication). */
export const createCredential = sensitiveOperation({
  name: 'credential.create',
  permission: {
    operator: 'credential.create',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<CredentialFields>({
    partnerId: idField,
    integrationId: Joi.string().required(),
    mode: Joi.string()
      .valid(...modes)
      .required(),
    scopes: Joi.array()
      .items(Joi.string().valid(...scopes))
      .min(1)
      .unique()
      .required(),
    days: Joi.number().integer().min(liveKeyDays.min).max(liveKeyDays.max),
  }).custom((fields: CredentialFields) => {
    if (fields.mode === 'LIVE' || fields.days === undefined) return fields;
    throw invalidFields({ days: 'TEST keys do not expire' });
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  atWorst: {
    moves: 'all that the partner has, by who has the secret: an owner',
    undo: 'credential.revoke',
    two: takesTwo.inLive,
  },
  approval: {
    shown: (_deps, { partnerId, integrationId, mode, scopes, days }) => ({
      partnerId,
      integrationId,
      mode,
      scopes,
      days: lifeDays({ mode, days }),
    }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /**
   * If a key with this id exists, its unused secret is replaced, because the response with it was lost. In LIVE,
   * owners are told of what operators make.
   * @throws ServiceError VALIDATION_FAILED for an integration that is not the partner's; CONFLICT for a
   *   LIVE key of a partner that is not live, and for a partner with the maximum number of active keys
   */
  async run(
    deps: SecretDeps & Partial<NotifyOwnersDeps>,
    { partnerId, integrationId, mode, scopes, days },
    { actor, found: partner, idOf },
  ): Promise<RevealedSecret> {
    const { models, now } = deps;
    const credentialId = idOf('credential');
    await requireIntegration(models, partnerId, integrationId);
    if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
      throw new ServiceError(
        'CONFLICT',
        `${partnerId} is not live. LIVE credentials can be created once its go-live is approved.`,
      );
    }
    const keys = { partnerId, _id: { $ne: credentialId }, revokedAt: null };
    const life = lifeDays({ mode, days });
    const lifeMs = life === null ? null : life * dayMs;
    const isHidden = awaitsOwner(actor, { mode });
    const key = { _id: credentialId, mode };
    const { secret, stored } = newSecret(deps, key, lifeMs, { awaitsOwner: isHidden });
    const credential: CredentialDoc = {
      _id: credentialId,
      partnerId,
      integrationId,
      mode,
      apiKey: `pk_${mode.toLowerCase()}_${newToken()}`,
      scopes,
      secrets: [stored],
      createdAt: new Date(now()),
      revokedAt: null,
    };
    let isRoomLeft = true;
    const create = () =>
      announceWith(models, async (session, announce) => {
        const count = () => models.credentials.countDocuments(keys, { session });
        const limit = { partnerId, max: maxActiveKeys };
        isRoomLeft = await hasRoom(models, limit, count, session);
        if (!isRoomLeft) return;
        await models.credentials.create([credential], { session });
        announce(credentialAnnounced('credential.created', credential, credential.createdAt));
      });
    const isNew = await insertOnce(create);
    if (!isRoomLeft) {
      throw new ServiceError(
        'CONFLICT',
        `${partnerId} has ${maxActiveKeys} active keys, the maximum. Revoke one that is not in use first.`,
      );
    }
    if (isNew) {
      if (isHidden) await tellOwners(deps, partnerId);
      return { credential, secretId: stored.secretId, secret: isHidden ? null : secret };
    }
    const { secrets } = await findCredential(models, credentialId);
    return await addSecret(deps, credentialId, actor, secrets[0]?.secretId);
  },

  completion: ({ credential: { _id: targetId }, secretId }) => ({
    targetId,
    details: { secretId },
  }),
});

/**
 * Ends one signing secret; it stops working everywhere within seconds (docs/integrate/requests.md, Authentication). Revoking it again keeps the first time.
 */
export const revokeSecret = operation({
  name: 'credential.revoke-secret',
  permission: {
    operator: 'credential.revoke-secret',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string; secretId: string }>({
    credentialId: idField,
    secretId: idField,
  }),
  approval: 'NONE',
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId, secretId }, { partnerId }) => ({
    targetId: credentialId,
    partnerId,
    details: { secretId },
  }),

  /** @throws ServiceError NOT_FOUND for a secret of another key */
  async run({ models, now }: AuditLogDeps, { credentialId, secretId }, { found }) {
    const { partnerId, secrets } = found;
    if (!secrets.some((secret) => secret.secretId === secretId)) {
      throw new ServiceError(
        'NOT_FOUND',
        `${credentialId} has no secret ${JSON.stringify(secretId)}.`,
      );
    }
    await models.credentials.updateOne(
      { partnerId, _id: credentialId, secrets: { $elemMatch: { secretId, revokedAt: null } } },
      { $set: { 'secrets.$.revokedAt': new Date(now()) } },
    );
    return await findCredential(models, credentialId);
  },
});

/** Ends an API key with all its secrets. Revoking it again keeps the first time. */
export const revokeCredential = operation({
  name: 'credential.revoke',
  permission: {
    operator: 'credential.revoke',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string }>({ credentialId: idField }),
  approval: 'NONE',
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId }, { partnerId }) => ({ targetId: credentialId, partnerId }),

  async run({ models, now }: AuditLogDeps, { credentialId }, { found: { partnerId } }) {
    const revokedAt = new Date(now());
    await announceWith(models, async (session, announce) => {
      const revoked = await models.credentials.findOneAndUpdate(
        { partnerId, _id: credentialId, revokedAt: null },
        { $set: { revokedAt } },
        { returnDocument: 'after', session },
      );
      if (revoked) announce(credentialAnnounced('credential.revoked', revoked, revokedAt));
    });
    return await findCredential(models, credentialId);
  },
});

/** Gives a key one more signing secret, so that a partner changes over without an outage. */
export const rotateCredential = sensitiveOperation({
  name: 'credential.rotate',
  permission: {
    operator: 'credential.rotate',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string }>({ credentialId: idField }),
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  atWorst: {
    moves: 'all that the partner has, by who has the secret: an owner',
    undo: 'credential.revoke-secret',
    two: takesTwo.inLive,
  },
  approval: {
    shown: (_deps, _input, { partnerId, mode }) => ({ partnerId, mode }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ credentialId }, { partnerId, mode }) => ({
    targetId: credentialId,
    partnerId,
    details: { mode },
  }),

  /** @throws ServiceError CONFLICT when the key is revoked or has two secrets already */
  async run(
    deps: SecretDeps & Partial<NotifyOwnersDeps>,
    { credentialId },
    { actor, found, idOf },
  ): Promise<RevealedSecret> {
    const made = await addSecret(deps, credentialId, actor, idOf('secret'));
    if (awaitsOwner(actor, found)) await tellOwners(deps, found.partnerId);
    return made;
  },

  completion: ({ secretId }) => ({ details: { secretId } }),
});

const tellOwners = (deps: SecretDeps & Partial<NotifyOwnersDeps>, partnerId: string) =>
  notifyOwners(
    deps,
    partnerId,
    'Operators made a LIVE secret for you. It waits for an owner on the page of its key, and is shown once.',
  );

/** Shows an owner, once, a LIVE secret that operators made. */
export const showSecret = operation({
  name: 'credential.show-secret',
  permission: { operator: null, user: { TEST: 'credential.live', LIVE: 'credential.live' } },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ credentialId: string; secretId: string }>({
    credentialId: idField,
    secretId: idField,
  }),
  approval: 'NONE',
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId, secretId }, { partnerId }) => ({
    targetId: credentialId,
    partnerId,
    details: { secretId },
  }),

  /** @throws ServiceError CONFLICT for a secret that was shown, was revoked, or that operators did not make */
  async run(
    { models, sealer }: SecretDeps,
    { credentialId, secretId },
    { found: { partnerId } },
  ): Promise<RevealedSecret> {
    const waiting = { secretId, awaitsOwner: true as const, revokedAt: null };
    const before = await models.credentials.findOneAndUpdate(
      { partnerId, _id: credentialId, revokedAt: null, secrets: { $elemMatch: waiting } },
      { $unset: { 'secrets.$.awaitsOwner': '' } },
      { returnDocument: 'before' },
    );
    const shown = before?.secrets.find((one) => one.secretId === secretId);
    if (!before || !shown) {
      throw new ServiceError('CONFLICT', 'This secret was shown already. Rotate it if it is lost.');
    }
    return { credential: before, secretId, secret: sealer.open(shown.sealed, credentialId) };
  },
});
