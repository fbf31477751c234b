import { ServiceError } from '../../domain/errors.ts';
import { maxEndpoints, maxListeners } from '../../domain/webhooks.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookDeliveryDoc } from '../schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { insertOnce } from '../store/insert-once.ts';
import { findDelivery, findDue, noteTries } from './deliveries.ts';
import { removeEndpoint } from './endpoints.ts';

/** One that has not asked for so long is away: nothing is kept for it any more. */
const listenMs = 60_000;
const maxTaken = 50;

interface ListenerKey {
  partnerId: string;
  endpointId: string;
}

/**
 * Stores a listener: an endpoint that fetches what it is told, so that a developer's machine needs no
 * address of its own. Those that went away make room for it.
 * @throws ServiceError CONFLICT where there are as many as there may be
 */
export async function addListener(
  models: Models,
  listener: Pick<WebhookEndpointDoc, '_id' | 'partnerId' | 'url' | 'eventTypes' | 'description'>,
  now: Date,
): Promise<WebhookEndpointDoc> {
  const { partnerId } = listener;
  await dropAwayListeners(models, now, { partnerId });
  for (let slot = maxEndpoints; slot < maxEndpoints + maxListeners; slot++) {
    const stored: WebhookEndpointDoc = {
      ...{ ...listener, mode: 'TEST', slot, secrets: [], status: 'LISTENING' },
      ...{ disabledReason: null, failingSince: null, warnedAt: null, disabledNoticeAt: null },
      ...{ deliveringUntil: null, listenUntil: new Date(now.getTime() + listenMs) },
      ...{ createdAt: now, updatedAt: now },
    };
    if (await insertOnce(() => models.webhookEndpoints.create(stored))) return stored;
  }
  throw new ServiceError(
    'CONFLICT',
    `${maxListeners} terminals listen for this partner already. End one, or wait a minute for one that is gone.`,
  );
}

/**
 * What is due for a listener, which by asking stays one.
 * @throws ServiceError NOT_FOUND for one that has ended
 */
export async function takeForListener(
  models: Models,
  { partnerId, endpointId }: ListenerKey,
  now: Date,
): Promise<WebhookDeliveryDoc[]> {
  const listener = await models.webhookEndpoints
    .findOneAndUpdate(
      { partnerId, _id: endpointId, status: 'LISTENING' },
      { $set: { listenUntil: new Date(now.getTime() + listenMs) } },
      { returnDocument: 'after' },
    )
    .lean();
  if (listener === null) throw new ServiceError('NOT_FOUND', 'This listener has ended.');
  return await findDue(models, listener, now, maxTaken);
}

/** What a listener's own machine answered. */
export interface Forwarded {
  deliveryId: string;
  status: number | null;
  error: string | null;
  answer: string;
  durationMs: number;
}

/** Notes what a listener forwarded. @throws ServiceError NOT_FOUND for what is no listener, or not its delivery */
export async function noteForwarded(
  models: Models,
  { partnerId, endpointId }: ListenerKey,
  { deliveryId, ...answered }: Forwarded,
  now: Date,
): Promise<void> {
  await requireListener(models, { partnerId, endpointId });
  const delivery = await findDelivery(models, { partnerId, _id: endpointId }, deliveryId);
  await noteTries(models, [{ delivery, tried: { at: now, ...answered, retryAfterMs: null } }]);
}

/**
 * Ends a listener, with what still waited for it. What was sent stays for its thirty days.
 * @throws ServiceError NOT_FOUND for what is no listener
 */
export async function endListener(models: Models, key: ListenerKey): Promise<void> {
  await requireListener(models, key);
  await removeEndpoint(models, key);
}

/** Other endpoints, LIVE ones among them, are none of a terminal's. */
async function requireListener(
  { webhookEndpoints }: Models,
  { partnerId, endpointId }: ListenerKey,
): Promise<void> {
  if (await webhookEndpoints.exists({ partnerId, _id: endpointId, status: 'LISTENING' })) return;
  throw new ServiceError('NOT_FOUND', 'This listener has ended.');
}

/** Ends listeners that have not asked for a minute. */
export async function dropAwayListeners(
  models: Models,
  now: Date,
  of: { partnerId?: string } = {},
): Promise<void> {
  const away = await models.webhookEndpoints
    .find({ ...of, status: 'LISTENING', listenUntil: { $lt: now } }, { partnerId: 1 })
    .lean();
  for (const { _id: endpointId, partnerId } of away) {
    await removeEndpoint(models, { partnerId, endpointId });
  }
}
