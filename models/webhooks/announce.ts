import { noticeDelayMs } from '../../domain/partners.ts';
import { isWanted, type WebhookFact, webhookApiVersion } from '../../domain/webhooks.ts';
import { type BatchOptions, createListBatcher } from '../../platform/batcher.ts';
import { idOfFact } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
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

/**
 * Adds facts to the outbox of every endpoint that is subscribed to them. Safe to repeat: a fact has one
 * event, and an event has one delivery per endpoint, because their ids derive from the fact.
 * @returns the deliveries, including those that existed already
 */
export async function announce(
  models: Models,
  facts: readonly WebhookFact[],
): Promise<WebhookDeliveryDoc[]> {
  if (facts.length === 0) return [];
  const partnerIds = [...new Set(facts.map(({ partnerId }) => partnerId))];
  const endpoints: Subscription[] = await models.webhookEndpoints.find(
    { partnerId: { $in: partnerIds }, status: { $ne: 'DISABLED' } },
    {
      partnerId: 1,
      mode: 1,
      eventTypes: 1,
      createdAt: 1,
      listenUntil: 1,
      userId: 1,
      rhythm: 1,
    },
  );
  if (endpoints.length === 0) return [];
  const deliveries = facts.flatMap((fact) =>
    endpoints
      .filter((endpoint) => isSubscribed(endpoint, fact))
      .map((endpoint) => deliveryOf(endpoint._id, fact, delayMsOf(endpoint, fact))),
  );
  await insertMissing(models.webhookDeliveries, deliveries);
  return deliveries;
}

/** Webhooks are sent at once; emails to users, at the interval they chose. */
function delayMsOf({ userId, rhythm = 'AT_ONCE' }: Subscription, { type }: WebhookFact): number {
  return userId === undefined ? 0 : noticeDelayMs(type, rhythm, Date.now());
}

function isSubscribed(
  endpoint: Subscription,
  { partnerId, mode, type, at, rewardId }: WebhookFact,
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

/** The id of a fact's event. */
export function idOfWebhookFact({ type, partnerId, mode, at, fact }: WebhookFact): string {
  return idOfFact('webhookEvent', at.getTime(), `${partnerId} ${mode} ${type} ${fact}`);
}

/** The delivery of a fact's event to an endpoint, first attempted after a delay. */
export function deliveryOf(
  endpointId: string,
  event: WebhookFact,
  delayMs = 0,
): WebhookDeliveryDoc {
  const { type, partnerId, mode, at, sequence, rewardId, data, text, traceparent } = event;
  const eventId = idOfWebhookFact(event);
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
    _id: idOfFact('webhookDelivery', at.getTime(), `${eventId} ${endpointId}`),
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
    nextTryAt: new Date(createdAt.getTime() + delayMs),
    history: [],
    createdAt,
    ...(traceparent && { traceparent }),
  };
}

/** Facts that are announced at the same time share one read and one insert. */
const batchOptions: BatchOptions = { maxBatch: 100, maxWaitMs: 50, waitsUntilFull: true };

export type Announce = (facts: readonly WebhookFact[]) => Promise<void>;

/** Announces facts in batches, for a process in which many things happen at once. */
export function createAnnounce(models: Models): Announce {
  const enqueue = createListBatcher<WebhookFact>(batchOptions, (facts) => announce(models, facts));
  return async (facts) => {
    const traceparent = currentTraceparent();
    await enqueue(traceparent ? facts.map((fact) => ({ ...fact, traceparent })) : facts);
  };
}
