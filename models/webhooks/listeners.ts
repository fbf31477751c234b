import { ServiceError } from '../../domain/errors.ts';
import { maxEndpoints, maxListeners } from '../../domain/webhooks.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { insertOnce } from '../store/insert-once.ts';
import { findDelivery, findDue, recordAttempts } from './deliveries.ts';
import { removeEndpoint } from './endpoints.ts';

/** A listener that has not fetched anything for this long is absent, and gets no new deliveries. */
const listenMs = 60_000;
const maxTaken = 50;

interface ListenerKey {
  partnerId: string;
  endpointId: string;
}

/**
 * Adds a listener: a TEST endpoint that fetches its deliveries, so that a developer's machine needs no
 * public address. Absent listeners of the partner are removed first.
 * @throws ServiceError CONFLICT if the partner has the maximum number of listeners
 */
export async function addListener(
  models: Models,
  listener: Pick<WebhookEndpointDoc, '_id' | 'partnerId' | 'url' | 'eventTypes' | 'description'>,
  now: Date,
): Promise<WebhookEndpointDoc> {
  const { partnerId } = listener;
  await removeAbsentListeners(models, now, { partnerId });
  for (let slot = maxEndpoints; slot < maxEndpoints + maxListeners; slot++) {
    const stored: WebhookEndpointDoc = {
      ...listener,
      mode: 'TEST',
      slot,
      secrets: [],
      status: 'LISTENING',
      disabledReason: null,
      failingSince: null,
      warnedAt: null,
      disabledNoticeAt: null,
      deliveringUntil: null,
      listenUntil: new Date(now.getTime() + listenMs),
      createdAt: now,
      updatedAt: now,
    };
    if (await insertOnce(() => models.webhookEndpoints.create(stored))) return stored;
  }
  throw new ServiceError(
    'CONFLICT',
    `${maxListeners} terminals are already listening for this partner. End one; a closed terminal counts for another minute.`,
  );
}

/**
 * The due deliveries of a listener. Fetching them keeps the listener alive for another minute.
 * @throws ServiceError NOT_FOUND if the listener has ended
 */
export async function takeForListener(
  models: Models,
  { partnerId, endpointId }: ListenerKey,
  now: Date,
): Promise<WebhookDeliveryDoc[]> {
  const listener = await models.webhookEndpoints.findOneAndUpdate(
    { partnerId, _id: endpointId, status: 'LISTENING' },
    { $set: { listenUntil: new Date(now.getTime() + listenMs) } },
    { returnDocument: 'after' },
  );
  if (listener === null) throw new ServiceError('NOT_FOUND', 'This listener has ended.');
  return await findDue(models, listener, now, maxTaken);
}

/** The response of the developer's machine to a forwarded delivery. */
export interface ForwardResult {
  deliveryId: string;
  status: number | null;
  error: string | null;
  answer: string;
  durationMs: number;
}

/**
 * Records the attempt of a delivery that a listener forwarded.
 * @throws ServiceError NOT_FOUND if the listener has ended, or for another endpoint's delivery
 */
export async function recordForwarded(
  models: Models,
  { partnerId, endpointId }: ListenerKey,
  { deliveryId, ...response }: ForwardResult,
  now: Date,
): Promise<void> {
  await requireListener(models, { partnerId, endpointId });
  const delivery = await findDelivery(models, { partnerId, _id: endpointId }, deliveryId);
  await recordAttempts(models, [
    { delivery, attempt: { at: now, ...response, retryAfterMs: null } },
  ]);
}

/**
 * Ends a listener and deletes its pending deliveries. Others stay for 30 days.
 * @throws ServiceError NOT_FOUND if it is not a listener
 */
export async function endListener(models: Models, key: ListenerKey): Promise<void> {
  await requireListener(models, key);
  await removeEndpoint(models, key);
}

/** A terminal must not touch other endpoints, such as LIVE ones. */
async function requireListener(
  { webhookEndpoints }: Models,
  { partnerId, endpointId }: ListenerKey,
): Promise<void> {
  if (await webhookEndpoints.exists({ partnerId, _id: endpointId, status: 'LISTENING' })) return;
  throw new ServiceError('NOT_FOUND', 'This listener has ended.');
}

/** Removes listeners that have not fetched deliveries for a minute. */
export async function removeAbsentListeners(
  models: Models,
  now: Date,
  of: { partnerId?: string } = {},
): Promise<void> {
  const absent = await models.webhookEndpoints.find(
    { ...of, status: 'LISTENING', listenUntil: { $lt: now } },
    { partnerId: 1 },
  );
  for (const { _id: endpointId, partnerId } of absent) {
    await removeEndpoint(models, { partnerId, endpointId });
  }
}
