import type { ClientSession } from 'mongoose';
import { noticeDelayMs } from '../../domain/partners.ts';
import { type Announcement, isWanted, webhookApiVersion } from '../../domain/webhooks.ts';
import { derivedId } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import { readRunway } from '../billing/index.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { insertMissing } from '../store/insert-once.ts';

/**
 * An endpoint receives no events from before its creation. Rewards' moves are timestamped by other
 * processes than endpoints, and their clocks may differ by this much.
 */
const clockSlackMs = 10_000;

type Subscription = Pick<
  WebhookEndpointDoc,
  '_id' | 'partnerId' | 'mode' | 'eventTypes' | 'createdAt' | 'listenUntil' | 'userId' | 'rhythm'
>;

const subscriptionFields = {
  partnerId: 1,
  mode: 1,
  eventTypes: 1,
  createdAt: 1,
  listenUntil: 1,
  userId: 1,
  rhythm: 1,
} as const;

/** The endpoints that can get any of these announcements. */
export async function subscribersOf(
  models: Models,
  announcements: readonly Pick<Announcement, 'partnerId'>[],
): Promise<Subscription[]> {
  if (announcements.length === 0) return [];
  const partnerIds = [...new Set(announcements.map(({ partnerId }) => partnerId))];
  return await models.webhookEndpoints
    .find({ partnerId: { $in: partnerIds }, status: { $ne: 'DISABLED' } }, subscriptionFields)
    .lean();
}

/**
 * The deliveries of announcements to those endpoints that subscribe to them, to be written with what is announced. How long the funding lasts is read here.
 */
export async function deliveriesOf(
  models: Models,
  endpoints: readonly Subscription[],
  announcements: readonly Announcement[],
  session: ClientSession,
): Promise<WebhookDeliveryDoc[]> {
  if (endpoints.length === 0) return [];
  const complete: Announcement[] = [];
  for (const one of announcements) complete.push(await withRunway(models, one, session));
  return deliveriesTo(endpoints, complete);
}

async function withRunway(
  models: Models,
  announcement: Announcement,
  session: ClientSession,
): Promise<Announcement> {
  if (announcement.type !== 'funding.low' && announcement.type !== 'funding.recovered')
    return announcement;
  const { balanceCents } = announcement.data as { balanceCents: number };
  const at = announcement.at.toISOString();
  const runwayDays = await readRunway(models, announcement.partnerId, balanceCents, at, session);
  return { ...announcement, data: { ...announcement.data, runwayDays } };
}

/** Announces what is written in the same transaction. */
export type Announce = (...announcements: readonly Announcement[]) => void;

/**
 * Writes a change together with the deliveries of what it announces, or neither. A conflict with another writer starts
 * it anew. It is for what changes no money, no event and no reward: a commit announces its own.
 * @param write all its reads and writes take the session; it announces nothing if it finds nothing to change
 */
export async function announceWith<Outcome>(
  models: Models,
  write: (session: ClientSession, announce: Announce) => Promise<Outcome>,
): Promise<Outcome> {
  const session = await models.connection.startSession();
  try {
    return await session.withTransaction(
      async () => {
        const announced: Announcement[] = [];
        const outcome = await write(session, (...more) => announced.push(...more));
        await insertDeliveries(models, announced, session);
        return outcome;
      },
      { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } },
    );
  } finally {
    await session.endSession();
  }
}

/**
 * Announces what no write makes true, such as that something expires soon. Safe to repeat: an announcement has one
 * event, and an event one delivery per endpoint, because their ids derive from it.
 * @returns the deliveries, including those that existed already
 */
export async function announce(
  models: Models,
  announcements: readonly Announcement[],
): Promise<WebhookDeliveryDoc[]> {
  const deliveries = deliveriesTo(await subscribersOf(models, announcements), announcements);
  if (deliveries.length > 0) await insertMissing(models.webhookDeliveries, deliveries);
  return deliveries;
}

async function insertDeliveries(
  models: Models,
  announcements: readonly Announcement[],
  session: ClientSession,
): Promise<void> {
  const deliveries = deliveriesTo(await subscribersOf(models, announcements), announcements);
  if (deliveries.length > 0) await models.webhookDeliveries.insertMany(deliveries, { session });
}

const deliveriesTo = (
  endpoints: readonly Subscription[],
  announcements: readonly Announcement[],
): WebhookDeliveryDoc[] =>
  announcements.flatMap((announcement) =>
    endpoints
      .filter((endpoint) => isSubscribed(endpoint, announcement))
      .map((endpoint) => deliveryOf(endpoint._id, announcement, delayMsOf(endpoint, announcement))),
  );

/** Webhooks are sent at once; emails to users, at the interval they chose. */
function delayMsOf({ userId, rhythm = 'AT_ONCE' }: Subscription, { type }: Announcement): number {
  return userId === undefined ? 0 : noticeDelayMs(type, rhythm, Date.now());
}

function isSubscribed(
  endpoint: Subscription,
  { partnerId, mode, type, at, rewardId }: Announcement,
): boolean {
  const slackMs = rewardId === null ? 0 : clockSlackMs;
  return (
    endpoint.partnerId === partnerId &&
    endpoint.mode === mode &&
    isWanted(endpoint.eventTypes, type) &&
    (endpoint.listenUntil?.getTime() ?? Number.POSITIVE_INFINITY) >= Date.now() &&
    endpoint.createdAt.getTime() <= at.getTime() + slackMs
  );
}

/** The id of an announcement's event. */
export function idOfAnnouncement({ type, partnerId, mode, at, cause }: Announcement): string {
  return derivedId('webhookEvent', at.getTime(), `${partnerId} ${mode} ${type} ${cause}`);
}

/** The delivery of an announcement's event to an endpoint, first attempted after a delay. */
export function deliveryOf(
  endpointId: string,
  event: Announcement,
  delayMs = 0,
): WebhookDeliveryDoc {
  const { type, partnerId, mode, at, sequence, rewardId, data, text } = event;
  const traceparent = currentTraceparent();
  const eventId = idOfAnnouncement(event);
  const body = JSON.stringify({
    id: eventId,
    type,
    apiVersion: webhookApiVersion,
    mode,
    createdAt: at.toISOString(),
    sequence,
    data,
    text,
  });
  const createdAt = new Date();
  return {
    _id: derivedId('webhookDelivery', at.getTime(), `${eventId} ${endpointId}`),
    partnerId,
    endpointId,
    mode,
    eventId,
    type,
    rewardId,
    body,
    state: 'PENDING',
    tries: 0,
    deliveredAt: null,
    nextTryAt: delayMs === 0 ? null : new Date(createdAt.getTime() + delayMs),
    history: [],
    createdAt,
    ...(traceparent && { traceparent }),
  };
}
