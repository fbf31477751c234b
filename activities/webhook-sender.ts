import { LRUCache } from 'lru-cache';
import { operatorsId } from '../domain/webhooks.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import { webhookHeaders, webhookKey } from '../messaging/webhooks/sign.ts';
import type { WebhookDeliveryDoc } from '../models/schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../models/schemas/webhook-endpoint.ts';
import { webhookTried } from '../models/store/metric-events.ts';
import { isSuccess, type Tried } from '../models/webhooks/deliveries.ts';
import {
  continueTrace,
  currentTraceparent,
  inSpan,
  type Span,
  SpanKind,
  traceparentHeader,
} from '../platform/tracing.ts';
import type { ActivityDeps } from './deps.ts';

type Sender = (delivery: WebhookDeliveryDoc) => Promise<Tried>;

/** What of an endpoint decides how it is sent to. */
export type Addressed = Pick<WebhookEndpointDoc, '_id' | 'partnerId' | 'mode' | 'url' | 'secrets'>;

/** Endpoints that are kept ready: a process sends to so many at a time. */
const maxReady = 1_000;

/**
 * Signs and sends deliveries. An endpoint's secrets are opened and its address
 * judged once, for as long as both stay as they are.
 */
export function createWebhookSender({
  sealer,
  postWebhook,
}: Pick<ActivityDeps, 'sealer'> & { postWebhook: PostWebhook }) {
  const ready = new LRUCache<string, { of: string; send: Sender }>({ max: maxReady });

  return {
    /** @returns what sends to an endpoint, as it was read */
    to(endpoint: Addressed): Sender {
      const { _id, url, mode, secrets } = endpoint;
      const of = [url, mode, ...secrets.map(({ sealed }) => sealed)].join(' ');
      const known = ready.get(_id);
      if (known?.of === of) return known.send;
      const send = senderTo(endpoint);
      ready.set(_id, { of, send });
      return send;
    },
  };

  function senderTo({ _id, partnerId, mode, url, secrets }: Addressed): Sender {
    const keys = secrets.map(({ sealed, expiresAt }) => ({
      ...{ key: webhookKey(sealer.open(sealed, _id)), expiresAt },
    }));
    const post = postWebhook({ url, mode, isOperators: partnerId === operatorsId });

    async function send(delivery: WebhookDeliveryDoc, span: Span | undefined): Promise<Tried> {
      const at = new Date();
      const { eventId: id, body, createdAt, tries } = delivery;
      const signing = keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
      const headers = webhookHeaders(
        { id, body },
        signing.map(({ key }) => key),
        Math.floor(at.getTime() / 1_000),
      );
      const traceparent = currentTraceparent();
      if (traceparent) headers[traceparentHeader] = traceparent;
      const answered = await post(headers, body);
      if (answered.status !== null)
        span?.setAttribute('http.response.status_code', answered.status);
      if (answered.error !== null) span?.setAttribute('error.type', answered.error);
      webhookTried.publish({
        mode,
        isSuccess: isSuccess(answered),
        durationMs: answered.durationMs,
        firstTriedAfterMs: tries === 0 ? at.getTime() - createdAt.getTime() : null,
      });
      return { at, ...answered };
    }

    return (delivery) => traced(delivery, (span) => send(delivery, span));
  }
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** A try is part of the trace that announced it, whoever makes it and when. */
async function traced<T>(
  { traceparent, type, tries }: WebhookDeliveryDoc,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const attributes = { 'app.webhook.type': type, 'app.webhook.try': tries + 1 };
  return await continueTrace(traceparent, () =>
    inSpan(`POST webhook ${type}`, { kind: SpanKind.CLIENT, attributes }, work),
  );
}
