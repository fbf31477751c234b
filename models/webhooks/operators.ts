import { randomInt } from 'node:crypto';
import { endpointNotice, type NoticeRhythm, type NoticeType } from '../../domain/partners.ts';
import { everyEventType, type OperatorEventType, operatorsId } from '../../domain/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import { deletePendingDeliveries } from './deliveries.ts';
import { removeEndpoint } from './endpoints.ts';

const endpointId = 'whe_operators';

/**
 * Stores the operators' endpoint as configured, and enables it again if it was disabled. Without one in
 * the configuration, the endpoint and its pending deliveries are deleted.
 */
export async function syncOperatorsEndpoint(
  models: Models,
  sealer: Sealer,
  configured: { url: string; secret: string } | undefined,
  now: Date,
): Promise<void> {
  const key = { partnerId: operatorsId, endpointId };
  if (configured === undefined) return await removeEndpoint(models, key);
  const { url, secret } = configured;
  const sealed = sealer.seal(secret, endpointId);
  await models.webhookEndpoints.updateOne(
    { partnerId: operatorsId, _id: endpointId },
    {
      $set: {
        url,
        secrets: [{ sealed, createdAt: now, expiresAt: null }],
        status: 'ACTIVE',
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        disabledNoticeAt: null,
        updatedAt: now,
      },
      $setOnInsert: {
        mode: 'LIVE',
        slot: 0,
        eventTypes: [everyEventType],
        createdAt: now,
        description: 'the operators’ own',
      },
    },
    { upsert: true },
  );
}

/** Beyond the slots of endpoints and listeners; random, so that users do not collide. */
const noticeSlots = { from: 1_000, until: 2 ** 47 };

/**
 * Stores a user's choice of notices as an endpoint, whose deliveries are sent by email.
 * Without any event type, the endpoint and its pending deliveries are deleted.
 */
export async function saveNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
  eventTypes: readonly (NoticeType | OperatorEventType)[],
  rhythm: NoticeRhythm,
  now: Date,
): Promise<void> {
  if (eventTypes.length === 0) return await endNotices(models, { partnerId, userId });
  await models.webhookEndpoints.updateOne(
    { partnerId, userId },
    {
      $set: { eventTypes: [...eventTypes], rhythm, updatedAt: now },
      $setOnInsert: {
        _id: newId('webhookEndpoint'),
        mode: 'LIVE',
        url: 'mailto:',
        description: '',
        slot: randomInt(noticeSlots.from, noticeSlots.until),
        secrets: [],
        status: 'ACTIVE',
        createdAt: now,
      },
    },
    { upsert: true },
  );
}

/** Deletes a user's notices, with their pending deliveries. */
export async function endNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<void> {
  const ended = await models.webhookEndpoints.findOneAndDelete({ partnerId, userId });
  if (ended !== null) await deletePendingDeliveries(models, ended._id);
}

/**
 * The email address of a partner's user or of an operator; null for users who were removed or revoked,
 * or who belong to another partner.
 */
export async function emailOf(
  { users, operators }: Pick<Models, 'users' | 'operators'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<string | null> {
  const isOperators = partnerId === operatorsId;
  const user = await users.findOne({
    _id: userId,
    partnerId: isOperators ? null : partnerId,
    disabledAt: null,
  });
  if (!user || !isOperators) return user?.email ?? null;
  const isActive = await operators.exists({ _id: user.operatorId, revokedAt: null });
  return isActive ? user.email : null;
}

/**
 * The addresses of the partner's users with notices about its endpoints; for the operators' endpoint, of
 * all operators with any notices.
 */
export async function emailsForEndpointNotices(
  models: Pick<Models, 'webhookEndpoints' | 'users' | 'operators'>,
  partnerId: string,
): Promise<string[]> {
  const userIds: string[] = await models.webhookEndpoints
    .find({
      partnerId,
      userId: { $exists: true },
      ...(partnerId !== operatorsId && { eventTypes: endpointNotice }),
    })
    .distinct('userId');
  const emails = await Promise.all(userIds.map((userId) => emailOf(models, { partnerId, userId })));
  return emails.flatMap((email) => email ?? []);
}
