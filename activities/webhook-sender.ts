import { LRUCache } from 'lru-cache';
import { operatorsId } from '../domain/webhooks.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import { webhookHeaders, webhookKey } from '../messaging/webhooks/sign.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { webhookTried } from '../models/store/metric-events.ts';
import { type AttemptResult, isSuccess } from '../models/webhooks/deliveries.ts';
import {
  continueTrace,
  currentTraceparent,
  inSpan,
  type Span,
  SpanKind,
  traceparentHeader,
} from '../platform/tracing.ts';
import type { ActivityDeps } from './deps.ts';

type Sender = (delivery: WebhookDeliveryDoc) => Promise<AttemptResult>;

/** The fields of an endpoint that sending to it depends on. */
export type SendTarget = Pick<WebhookEndpointDoc, '_id' | 'partnerId' | 'mode' | 'url' | 'secrets'>;

/** More than the endpoints that a process sends to at a time. */
const maxCachedSenders = 1_000;

/** Signs and sends deliveries. Opens an endpoint's secrets and checks its URL only when they change. */
export function createWebhookSender({
  sealer,
  postWebhook,
}: Pick<ActivityDeps, 'sealer'> & { postWebhook: PostWebhook }) {
  const senders = new LRUCache<string, { version: string; send: Sender }>({
    max: maxCachedSenders,
  });

  return {
    /** @returns the function that sends to an endpoint */
    to(endpoint: SendTarget): Sender {
      const { _id, url, mode, secrets } = endpoint;
      const version = [url, mode, ...secrets.map(({ sealed }) => sealed)].join(' ');
      const cached = senders.get(_id);
      if (cached?.version === version) return cached.send;
      const send = senderTo(endpoint);
      senders.set(_id, { version, send });
      return send;
    },
  };

  function senderTo({ _id, partnerId, mode, url, secrets }: SendTarget): Sender {
    const keys = secrets.map(({ sealed, expiresAt }) => ({
      key: webhookKey(sealer.open(sealed, _id)),
      expiresAt,
    }));
    const post = postWebhook({ url, mode, isOperators: partnerId === operatorsId });

    async function send(
      delivery: WebhookDeliveryDoc,
      span: Span | undefined,
    ): Promise<AttemptResult> {
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
      const response = await post(headers, body);
      if (response.status !== null)
        span?.setAttribute('http.response.status_code', response.status);
      if (response.error !== null) span?.setAttribute('error.type', response.error);
      webhookTried.publish({
        mode,
        isSuccess: isSuccess(response),
        durationMs: response.durationMs,
        firstTriedAfterMs: tries === 0 ? at.getTime() - createdAt.getTime() : null,
      });
      return { at, ...response };
    }

    return (delivery) => traced(delivery, (span) => send(delivery, span));
  }
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** An attempt belongs to the trace of the announcement, whichever process makes it. */
async function traced<T>(
  { traceparent, type, tries }: WebhookDeliveryDoc,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const attributes = { 'app.webhook.type': type, 'app.webhook.try': tries + 1 };
  return await continueTrace(traceparent, () =>
    inSpan(`POST webhook ${type}`, { kind: SpanKind.CLIENT, attributes }, work),
  );
}
