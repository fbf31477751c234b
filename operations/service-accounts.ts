import Joi from 'joi';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import {
  accessState,
  maxServiceAccounts,
  replacedTokenMs,
  type ServiceAccountScope,
  serviceAccountScopes,
} from '../domain/partners.ts';
import { dayMs } from '../domain/utc-days.ts';
import { findPartner } from '../models/identity/partners.ts';
import { findServiceAccount, newServiceToken } from '../models/identity/service-accounts.ts';
import type { ServiceAccountDoc } from '../models/schemas/integrations.ts';
import { hasRoom } from '../models/store/write-within-limit.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { serviceAccountAnnounced } from '../models/webhooks/announcements.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation } from './operation.ts';

/** A service account with its token in clear text, which is shown only once. */
export interface RevealedServiceAccount {
  account: ServiceAccountDoc;
  token: string;
}

interface ServiceAccountFields {
  partnerId: string;
  mode: Mode;
  name: string;
  reads: ServiceAccountScope[];
  /** Days until it expires; null for never, in TEST only. */
  days: number | null;
}

const byMode = { TEST: 'service-account.change', LIVE: 'service-account.live' } as const;

/** Creates a partner's service account for a program that reads. Operators cannot get tokens of partners. */
export const createServiceAccount = operation({
  name: 'service-account.create',
  permission: { operator: null, user: byMode },
  // It outlives the session, and even the user, so creating one needs a fresh second factor.
  secondFactor: 'ALWAYS',
  input: Joi.object<ServiceAccountFields>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    name: shortText(100).required(),
    reads: Joi.array()
      .items(Joi.string().valid(...serviceAccountScopes))
      .min(1)
      .unique()
      .required(),
    days: Joi.number().integer().min(1).max(366).allow(null).required(),
  }).custom((fields: ServiceAccountFields) => {
    if (fields.mode === 'TEST' || fields.days !== null) return fields;
    throw invalidFields({ days: 'A LIVE service account needs an end: choose at most a year' });
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, mode, reads, days }) => ({
    partnerId,
    targetId: null,
    details: { mode, scopes: reads, days },
  }),

  /** @throws ServiceError CONFLICT for a partner with the maximum number of service accounts */
  async run(
    { models, now }: AuditLogDeps,
    { partnerId, mode, name, reads, days },
    { idOf },
  ): Promise<RevealedServiceAccount> {
    const [_id, createdAt] = [idOf('serviceAccount'), new Date(now())];
    const { token, stored } = newServiceToken(createdAt);
    const account: ServiceAccountDoc = {
      _id,
      partnerId,
      mode,
      name,
      scopes: reads,
      tokens: [stored],
      createdAt,
      expiresAt: days === null ? null : new Date(+createdAt + days * dayMs),
      revokedAt: null,
    };
    const held = {
      partnerId,
      revokedAt: null,
      $or: [{ expiresAt: null }, { expiresAt: { $gt: createdAt } }],
    };
    await announceWith(models, async (session, announce) => {
      const limit = { partnerId, max: maxServiceAccounts };
      const count = () => models.serviceAccounts.countDocuments(held, { session });
      if (!(await hasRoom(models, limit, count, session))) throw tooMany(partnerId);
      await models.serviceAccounts.create([account], { session });
      announce(serviceAccountAnnounced('CREATED', account, createdAt));
    });
    return { account, token };
  },

  completion: ({ account: { _id: targetId } }) => ({ targetId }),
});

const tooMany = (partnerId: string) =>
  new ServiceError(
    'CONFLICT',
    `${partnerId} has ${maxServiceAccounts} service accounts, the maximum. Revoke one that is no longer used.`,
  );

/** Identifies a service account; another partner's is not found. */
export const serviceAccountKey = Joi.object<{ partnerId: string; serviceAccountId: string }>({
  partnerId: idField,
  serviceAccountId: idField,
});

/** Revokes a service account with its tokens, from the next request on. Revoking it again keeps the first time. */
export const revokeServiceAccount = operation({
  name: 'service-account.revoke',
  permission: { operator: 'service-account.revoke', user: byMode },
  secondFactor: 'NEVER',
  input: serviceAccountKey,
  approval: 'NONE',
  find: ({ models }, { partnerId, serviceAccountId }) =>
    findServiceAccount(models, partnerId, serviceAccountId),
  audit: ({ serviceAccountId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  async run({ models, now }: AuditLogDeps, { partnerId, serviceAccountId }) {
    const revokedAt = new Date(now());
    await announceWith(models, async (session, announce) => {
      const revoked = await models.serviceAccounts.findOneAndUpdate(
        { partnerId, _id: serviceAccountId, revokedAt: null },
        { $set: { revokedAt } },
        { returnDocument: 'after', session },
      );
      if (revoked) announce(serviceAccountAnnounced('REVOKED', revoked, revokedAt));
    });
    return await findServiceAccount(models, partnerId, serviceAccountId);
  },
});

/**
 * Replaces the token of a service account. The previous token works for another day, so that a program can
 * switch without an outage; older ones stop immediately.
 */
export const rotateServiceAccount = operation({
  name: 'service-account.rotate',
  permission: { operator: null, user: byMode },
  secondFactor: 'ALWAYS',
  input: serviceAccountKey,
  approval: 'NONE',
  find: ({ models }, { partnerId, serviceAccountId }) =>
    findServiceAccount(models, partnerId, serviceAccountId),
  audit: ({ serviceAccountId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for a revoked or expired account */
  async run(
    { models, now }: AuditLogDeps,
    { partnerId, serviceAccountId },
    { found },
  ): Promise<RevealedServiceAccount> {
    const at = new Date(now());
    const { token, stored } = newServiceToken(at);
    // One write based on the current tokens: after two concurrent rotations, the tokens of both work.
    const replaced = {
      $mergeObjects: [
        { $arrayElemAt: ['$tokens', 0] },
        { endsAt: new Date(+at + replacedTokenMs) },
      ],
    };
    const rotation = [{ $set: { tokens: { $concatArrays: [[stored], [replaced]] } } }];
    const isRotated =
      accessState(found, +at) === 'ACTIVE' &&
      (await announceWith(models, async (session, announce) => {
        const { matchedCount } = await models.serviceAccounts.collection.updateOne(
          { partnerId, _id: serviceAccountId, revokedAt: null },
          rotation,
          { session },
        );
        if (matchedCount > 0) announce(serviceAccountAnnounced('ROTATED', found, at));
        return matchedCount > 0;
      }));
    if (!isRotated) {
      throw new ServiceError('CONFLICT', `${serviceAccountId} has ended. Create another one.`);
    }
    return { account: await findServiceAccount(models, partnerId, serviceAccountId), token };
  },
});
