import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { verifiedContact } from '../domain/customer.ts';
import { paymentReferenceOf } from '../domain/invoice.ts';
import { operatorsId, warnAfterMs } from '../domain/webhooks.ts';
import type { WebhookEndpointRef } from '../domain/workflow-names.ts';
import { type HowToPay, type NoticeEvent, noticeMail } from '../messaging/notice-mail.ts';
import { portalMail } from '../messaging/portal-mails.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import { webhookHeaders, webhookKey } from '../messaging/webhooks/sign.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { sendCounted } from '../models/store/mail-quotas.ts';
import { purgesOfWebhooks, webhookTried } from '../models/store/metric-events.ts';
import {
  type AttemptResult,
  deletePendingDeliveries,
  type EndpointHealth,
  findDue,
  isSuccess,
  nextDueAt,
  type Purged,
  purgeDeliveries,
  recordAttempts,
  recordHealth,
} from '../models/webhooks/deliveries.ts';
import { recordTraffic, tallyTraffic } from '../models/webhooks/endpoints.ts';
import { removeAbsentListeners } from '../models/webhooks/listeners.ts';
import { emailOf, emailsForEndpointNotices, endNotices } from '../models/webhooks/operators.ts';
import { sha256Hex } from '../platform/hashing.ts';
import {
  continueTrace,
  currentTraceparent,
  inSpan,
  type Span,
  SpanKind,
  traceparentHeader,
} from '../platform/tracing.ts';
import { createAttemptRecorder } from './attempt-recorder.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact } from './messages.ts';
import { type Sender, sendRehearsed } from './rehearsals.ts';

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
    // Ours may be on this machine where that is allowed, and nowhere else in a private network.
    const post = postWebhook({ url, mode: partnerId === operatorsId ? 'TEST' : mode });

    async function send(
      delivery: WebhookDeliveryDoc,
      span: Span | undefined,
      other?: KeyObject,
    ): Promise<AttemptResult> {
      const at = new Date();
      const { eventId: id, body, createdAt, tries } = delivery;
      const signing = keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
      const headers = webhookHeaders(
        { id, body },
        [...(other ? [other] : []), ...signing.map(({ key }) => key)],
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

    return (delivery, other) => traced(delivery, (span) => send(delivery, span, other));
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

/** A notice to the partner about one of its endpoints. */
export type EndpointNotice = 'FAILING' | 'DISABLED';

export interface DeliveryOutcome {
  /** ISO 8601, when the next delivery is due; null if none is pending or none may be sent. */
  nextDueAt: string | null;
  /** The notice to send to the partner. */
  news: EndpointNotice | null;
}

/** Requests to one endpoint at a time. */
const concurrency = 8;
/** Deliveries held in memory. */
const batchSize = 100;
/** An activity ends after this time, so that it does not delay the shutdown of its worker. */
const maxDurationMs = 20_000;
/** The mark `deliveringUntil` keeps the sweep away from an endpoint for this long. */
const markMs = 40_000;
/** The mark is renewed, and the endpoint read again, at this interval. */
const markEveryMs = 1_000;
const heartbeatMs = 5_000;
/** While few deliveries are due, waits so that more arrive and share a read and a write. */
const batchWaitMs = 100;
/** A busy endpoint is checked again after this time, which costs less than starting another activity. */
const lingerMs = 500;
/** After this many failures in a row, an endpoint is probed: one delivery at a time, with a pause. */
const maxFailuresInRow = 8;
const probeMs = 500;
const slowMs = 1_000;
/** SMTP's status for an accepted email. */
const mailAcceptedStatus = 250;
const maxLingers = (sent: number) => (sent >= 10 ? 4 : 0);

export function webhookActivities({
  models,
  sealer,
  sendMessage,
  postWebhook,
  portalUrl,
  config,
}: Pick<ActivityDeps, 'models' | 'sealer' | 'sendMessage' | 'portalUrl'> & {
  postWebhook: PostWebhook;
  config?: ActivityDeps['config'];
}) {
  const find = ({ partnerId, endpointId }: WebhookEndpointRef) =>
    models.webhookEndpoints.findOne({ partnerId, _id: endpointId });
  const sender = createWebhookSender({ sealer, postWebhook });

  return {
    /**
     * Sends an endpoint's due deliveries for at most 20 seconds. A repeat sends deliveries whose attempt
     * was not recorded again, with the same id.
     */
    async deliverWebhooks(ref: WebhookEndpointRef): Promise<DeliveryOutcome> {
      const stopping = cancellationSignal();
      const untilMs = Date.now() + maxDurationMs;
      const isOver = () => Date.now() >= untilMs || stopping.aborted;
      const beat = setInterval(() => heartbeat(), heartbeatMs);
      let sent = 0;
      let lingers = 0;
      let markedAtMs = Number.NEGATIVE_INFINITY;
      let endpoint: WebhookEndpointDoc | null = null;
      let health: EndpointHealth = { failingSince: null, isDisabled: false };
      const tally = tallyTraffic();
      try {
        while (!isOver()) {
          if (health.isDisabled || performance.now() >= markedAtMs + markEveryMs) {
            markedAtMs = performance.now();
            const marked = await mark(ref);
            if (marked === null) break;
            endpoint = marked;
            health = { failingSince: marked.failingSince, isDisabled: false };
          }
          if (endpoint === null) break;
          const isProbed = health.failingSince !== null && endpoint.userId === undefined;
          const due = await findDue(models, endpoint, new Date(), isProbed ? 1 : batchSize);
          if (due.length === 0) {
            if (lingers >= maxLingers(sent)) break;
            lingers += 1;
            await delay(lingerMs);
            continue;
          }
          lingers = 0;
          if (endpoint.userId !== undefined) {
            if (!(await mailNotices(endpoint, endpoint.userId, due))) break;
            continue;
          }
          const sentAtMs = performance.now();
          sent += await sendAll(endpoint, health, due, { isOver, tally });
          if (!isProbed || health.failingSince === null) {
            if (due.length < batchSize) await delay(batchWaitMs);
            continue;
          }
          // An endpoint that hangs must not occupy the worker: the activity ends after each attempt.
          if (performance.now() > sentAtMs + slowMs) break;
          await delay(probeMs);
        }
      } finally {
        clearInterval(beat);
        await recordTraffic(models, ref, endpoint, tally.hours);
      }
      return await outcomeOf(ref);
    },

    /** Emails the partner that an endpoint is failing or was disabled. A repeat may send again. */
    async mailEndpointNews(ref: WebhookEndpointRef, news: EndpointNotice): Promise<void> {
      const [endpoint, partner] = await Promise.all([
        find(ref),
        models.partners.findById(ref.partnerId),
      ]);
      if (endpoint === null) return;
      const users = new Set(await emailsForEndpointNotices(models, ref.partnerId));
      const mailTo = (to: string) => ({
        id: `webhook-${news.toLowerCase()}-${endpoint._id}-${sha256Hex(to).slice(0, 8)}`,
        ...newsOf(endpoint, news, portalUrl),
      });
      const contact = partner && verifiedContact(partner);
      if (partner && contact !== null && !users.has(contact)) {
        await mailContact({ models, sendMessage }, partner, endpoint.mode, mailTo(contact));
      }
      const deps = { models, sendMessage, now: Date.now };
      const { partnerId } = ref;
      for (const to of users) {
        await sendCounted(deps, { ...mailTo(to), to }, { kind: 'NOTICE', partnerId, to });
      }
      const sentAt = news === 'FAILING' ? 'warnedAt' : 'disabledNoticeAt';
      await models.webhookEndpoints.updateOne(
        { partnerId: ref.partnerId, _id: ref.endpointId },
        { $set: { [sentAt]: new Date() } },
      );
    },

    /** Deletes deliveries older than 30 days, and absent listeners. */
    async purgeWebhookDeliveries(): Promise<Purged> {
      await removeAbsentListeners(models, new Date());
      const purged = await purgeDeliveries(models, Date.now(), heartbeat);
      purgesOfWebhooks.publish(purged);
      return purged;
    },
  };

  /** Marks an endpoint as being delivered to. @returns the endpoint; null if it is not active */
  async function mark({ partnerId, endpointId }: WebhookEndpointRef) {
    return await models.webhookEndpoints.findOneAndUpdate(
      { partnerId, _id: endpointId, status: 'ACTIVE' },
      { $set: { deliveringUntil: new Date(Date.now() + markMs) } },
      { returnDocument: 'after' },
    );
  }

  /**
   * Sends deliveries concurrently and records their attempts. Ends early if all attempts fail.
   * @returns the number of deliveries sent
   */
  async function sendAll(
    endpoint: WebhookEndpointDoc,
    health: EndpointHealth,
    due: readonly WebhookDeliveryDoc[],
    { isOver, tally }: { isOver(): boolean; tally: ReturnType<typeof tallyTraffic> },
  ): Promise<number> {
    const send = sender.to(endpoint);
    const recorder = createAttemptRecorder(models);
    let sent = 0;
    let failed = 0;
    try {
      await pMap(
        due,
        async (delivery) => {
          if (isOver() || health.isDisabled || failed >= maxFailuresInRow) return;
          sent += 1;
          const attempt = await sendRehearsed(models, endpoint, delivery, send);
          if (attempt === null) return;
          failed = isSuccess(attempt) ? 0 : failed + 1;
          tally.add(attempt);
          recorder.add({ delivery, attempt });
          await recordHealth(models, endpoint, health, attempt);
        },
        { concurrency: concurrency },
      );
    } finally {
      await recorder.end();
    }
    return sent;
  }

  /**
   * Sends a user one email about all their due notices.
   * @returns whether it was sent; otherwise it is retried later
   */
  async function mailNotices(
    { partnerId }: WebhookEndpointDoc,
    userId: string,
    due: readonly WebhookDeliveryDoc[],
  ): Promise<boolean> {
    const at = new Date();
    const [partner, to] = await Promise.all([
      models.partners.findById(partnerId),
      emailOf(models, { partnerId, userId }),
    ]);
    if (to === null) {
      await endNotices(models, { partnerId, userId });
      return false;
    }
    const events = due.map(({ eventId: id, body }): NoticeEvent => ({ ...JSON.parse(body), id }));
    const error = await sendCounted(
      { models, sendMessage, now: Date.now },
      noticeMail(portalUrl, to, events, partner?.currency ?? '', howToPayOf(partnerId)),
      { kind: 'NOTICE', partnerId, to },
    ).then(
      (isSent) => (isSent ? null : 'TOO_MANY_MAILS'),
      () => 'MAIL_NOT_SENT',
    );
    const durationMs = Date.now() - at.getTime();
    const status = error === null ? mailAcceptedStatus : null;
    const attempt = { at, durationMs, status, error, answer: '', retryAfterMs: null };
    await recordAttempts(
      models,
      due.map((delivery) => ({ delivery, attempt })),
    );
    return error === null;
  }

  function howToPayOf(partnerId: string): HowToPay | null {
    const details = config?.issuer?.paymentDetails;
    if (config === undefined || !details) return null;
    const topUpReference = paymentReferenceOf(config.paymentReferencePrefix, partnerId);
    return { details, topUpReference };
  }

  async function outcomeOf(ref: WebhookEndpointRef): Promise<DeliveryOutcome> {
    const endpoint = await find(ref);
    if (endpoint === null) {
      // The endpoint was deleted while an event for it was being added.
      await deletePendingDeliveries(models, ref.endpointId);
      return { nextDueAt: null, news: null };
    }
    const { status, failingSince, warnedAt, disabledNoticeAt } = endpoint;
    if (status === 'DISABLED') {
      return { nextDueAt: null, news: disabledNoticeAt === null ? 'DISABLED' : null };
    }
    if (status !== 'ACTIVE') return { nextDueAt: null, news: null };
    const isWarningDue =
      warnedAt === null &&
      failingSince !== null &&
      failingSince.getTime() + warnAfterMs <= Date.now();
    const next = await nextDueAt(models, endpoint);
    return { nextDueAt: next?.toISOString() ?? null, news: isWarningDue ? 'FAILING' : null };
  }
}

function newsOf(
  { _id, url, mode, disabledReason }: WebhookEndpointDoc,
  news: EndpointNotice,
  portalUrl: string,
) {
  const subject = `Your ${mode} webhook endpoint ${news === 'FAILING' ? 'has been failing for a day' : 'was disabled'}`;
  const why =
    news === 'FAILING'
      ? 'It hasn’t responded to a single webhook with 2xx for a day. After five such days it is disabled.'
      : disabledReason === 'GONE'
        ? 'It responded 410 Gone, which asks us to stop.'
        : 'It hasn’t responded to a single webhook with 2xx for five days.';
  return portalMail(
    { subject },
    {
      paragraphs: [
        `${new URL(url).origin} (${_id})`,
        why,
        'Undelivered events are kept for 30 days and can be sent again.',
      ],
      link: { text: 'View your webhooks', url: `${portalUrl}/` },
    },
  );
}
