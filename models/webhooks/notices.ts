import { randomInt } from 'node:crypto';
import { endpointNews, type NoticeType } from '../../domain/notices.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';

/** Beyond the places of endpoints and listeners; chance keeps users apart. */
const noticeSlots = { from: 1_000, until: 2 ** 47 };

/** What a user is told by email. */
export async function noticesOf(
  { webhookEndpoints }: Pick<Models, 'webhookEndpoints'>,
  userId: string,
): Promise<string[]> {
  return (await webhookEndpoints.findOne({ userId }, { eventTypes: 1 }).lean())?.eventTypes ?? [];
}

/**
 * Stores what a user is told by email: an endpoint of the outbox like any other, whose deliveries are
 * emails. Without any it goes, with what waited for it.
 */
export async function saveNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
  eventTypes: readonly NoticeType[],
  now: Date,
): Promise<void> {
  if (eventTypes.length === 0) return await endNotices(models, { partnerId, userId });
  await models.webhookEndpoints.updateOne(
    { partnerId, userId },
    {
      $set: { eventTypes: [...eventTypes], updatedAt: now },
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
  { webhookEndpoints, webhookDeliveries }: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<void> {
  const ended = await webhookEndpoints.findOneAndDelete({ partnerId, userId }).lean();
  if (ended === null) return;
  const waiting = { partnerId, endpointId: ended._id, state: 'PENDING' as const };
  await webhookDeliveries.deleteMany(waiting);
}

/** The address of a partner's user; null for one that was removed, or is another partner's. */
export async function emailOf(
  { users }: Pick<Models, 'users'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<string | null> {
  const user = await users.findOne({ _id: userId, partnerId, disabledAt: null }).lean();
  return user?.email ?? null;
}

/** The addresses of a partner's users who want to know how its endpoints are. */
export async function toldOfEndpoints(
  models: Pick<Models, 'webhookEndpoints' | 'users'>,
  partnerId: string,
): Promise<string[]> {
  const userIds = await models.webhookEndpoints
    .find({ partnerId, eventTypes: endpointNews, userId: { $exists: true } })
    .distinct('userId');
  const users = await models.users
    .find({ _id: { $in: userIds }, partnerId, disabledAt: null })
    .lean();
  return users.flatMap(({ email }) => email ?? []);
}
