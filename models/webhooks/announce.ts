import { noticeDelayMs } from '../../domain/notices.ts';
import { isWanted, type WebhookFact, webhookApiVersion } from '../../domain/webhooks.ts';
import { type BatchOptions, createBatcher } from '../../platform/batcher.ts';
import { idOfFact } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookDeliveryDoc } from '../schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { insertMissing } from '../store/insert-once.ts';

/**
 * An endpoint is told of nothing that happened before it was there. Moves of rewards are stamped by other
 * processes than endpoints are, whose clocks may differ by so much.
 */
const clockSlackMs = 10_000;

type Wanting = Pick<
  WebhookEndpointDoc,
  '_id' | 'partnerId' | 'mode' | 'eventTypes' | 'createdAt' | 'listenUntil' | 'userId' | 'rhythm'
>;

/**
 * Puts what happened into the outbox of every endpoint that wants to know: of partners and modes without
 * an endpoint nothing is written. Safe to repeat: of one fact there is one event, and of an event one
 * delivery to an endpoint, whoever makes them and however often.
 * @returns the deliveries, also those that were there
 */
export async function announce(
  models: Models,
  facts: readonly WebhookFact[],
): Promise<WebhookDeliveryDoc[]> {
  if (facts.length === 0) return [];
  const partnerIds = [...new Set(facts.map(({ partnerId }) => partnerId))];
  const endpoints: Wanting[] = await models.webhookEndpoints
    .find(
      { partnerId: { $in: partnerIds }, status: { $ne: 'DISABLED' } },
      {
        ...{ partnerId: 1, mode: 1, eventTypes: 1, createdAt: 1, listenUntil: 1 },
        ...{ userId: 1, rhythm: 1 },
      },
    )
    .lean();
  if (endpoints.length === 0) return [];
  const deliveries = facts.flatMap((fact) =>
    endpoints
      .filter((endpoint) => wants(endpoint, fact))
      .map((endpoint) => deliveryOf(endpoint._id, fact, delayMsOf(endpoint, fact))),
  );
  await insertMissing(models.webhookDeliveries, deliveries);
  return deliveries;
}

/** Endpoints are told at once; people, as they wish. */
function delayMsOf({ userId, rhythm = 'AT_ONCE' }: Wanting, { type }: WebhookFact): number {
  return userId === undefined ? 0 : noticeDelayMs(type, rhythm, Date.now());
}

function wants(endpoint: Wanting, { partnerId, mode, type, at, rewardId }: WebhookFact): boolean {
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

/** The delivery of a fact's event to an endpoint, tried first after a while. */
export function deliveryOf(
  endpointId: string,
  event: WebhookFact,
  delayMs = 0,
): WebhookDeliveryDoc {
  const { type, partnerId, mode, at, sequence, rewardId, data, text, traceparent } = event;
  const eventId = idOfWebhookFact(event);
  const body = JSON.stringify({
    ...{ id: eventId, type, apiVersion: webhookApiVersion, mode },
    ...{ createdAt: at.toISOString(), sequence, data, text },
  });
  const createdAt = new Date();
  return {
    _id: idOfFact('webhookDelivery', at.getTime(), `${eventId} ${endpointId}`),
    ...{ partnerId, endpointId, mode, eventId, type, rewardId, body },
    ...{ state: 'PENDING', tries: 0, deliveredAt: null },
    nextTryAt: new Date(createdAt.getTime() + delayMs),
    ...{ history: [], createdAt },
    ...(traceparent && { traceparent }),
  };
}

/** Announces together what is told at the same time: one read, and one insert where anybody listens. */
const together: BatchOptions = { maxBatch: 100, maxWaitMs: 50, waitsUntilFull: true };

export type Announce = (facts: readonly WebhookFact[]) => Promise<void>;

/** The same for a process in which many things happen at once. */
export function createAnnounce(models: Models): Announce {
  const ask = createBatcher<{ facts: readonly WebhookFact[] }, void>(
    together,
    async (_key, jobs) => {
      await announce(
        models,
        jobs.flatMap(({ facts }) => facts),
      );
      for (const { resolve } of jobs) resolve();
    },
  );
  return async (facts) => {
    if (facts.length === 0) return;
    const traceparent = currentTraceparent();
    const traced = traceparent ? facts.map((fact) => ({ ...fact, traceparent })) : facts;
    await ask('all', { facts: traced });
  };
}
