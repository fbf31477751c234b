import { randomInt } from 'node:crypto';
import { endpointNotice, type NoticeRhythm, type NoticeType } from '../../domain/notices.ts';
import { type OperatorEventType, operatorsId } from '../../domain/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { dropWaiting } from './deliveries.ts';

/** Beyond the places of endpoints and listeners; chance keeps users apart. */
const noticeSlots = { from: 1_000, until: 2 ** 47 };

/**
 * Stores what a user is told by email: an endpoint of the outbox like any other, whose deliveries are
 * emails. Without any it goes, with what waited for it.
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
        ...{ _id: newId('webhookEndpoint'), mode: 'LIVE', url: 'mailto:', description: '' },
        ...{ slot: randomInt(noticeSlots.from, noticeSlots.until), secrets: [], status: 'ACTIVE' },
        createdAt: now,
      },
    },
    { upsert: true },
  );
}

/** Ends a user's notices, with what waited to be mailed. */
export async function endNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<void> {
  const ended = await models.webhookEndpoints.findOneAndDelete({ partnerId, userId }).lean();
  if (ended !== null) await dropWaiting(models, ended._id);
}

/**
 * The address of a partner's user, or of an operator; null for one that was removed or revoked, or is
 * another partner's.
 */
export async function emailOf(
  { users, operators }: Pick<Models, 'users' | 'operators'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<string | null> {
  const isOperators = partnerId === operatorsId;
  const user = await users
    .findOne({ _id: userId, partnerId: isOperators ? null : partnerId, disabledAt: null })
    .lean();
  if (!user || !isOperators) return user?.email ?? null;
  const isActive = await operators.exists({ _id: user.operatorId, revokedAt: null });
  return isActive ? user.email : null;
}

/** The addresses of those who want to know how a partner's endpoints are; of all operators that are told anything. */
export async function emailsForEndpointNotices(
  models: Pick<Models, 'webhookEndpoints' | 'users' | 'operators'>,
  partnerId: string,
): Promise<string[]> {
  const userIds: string[] = await models.webhookEndpoints
    .find({
      ...{ partnerId, userId: { $exists: true } },
      ...(partnerId !== operatorsId && { eventTypes: endpointNotice }),
    })
    .distinct('userId');
  const emails = await Promise.all(userIds.map((userId) => emailOf(models, { partnerId, userId })));
  return emails.flatMap((email) => email ?? []);
}
