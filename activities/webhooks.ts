import { setTimeout as delay } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { verifiedContact } from '../domain/partner-contact.ts';
import { operatorsId, warnAfterMs } from '../domain/webhooks.ts';
import type { WebhookEndpointRef } from '../domain/workflow-names.ts';
import { type NoticeEvent, noticeMail } from '../messaging/notice-mail.ts';
import { portalMail } from '../messaging/portal-mails.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import { webhookHeaders } from '../messaging/webhooks/sign.ts';
import type { WebhookDeliveryDoc, WebhookTry } from '../models/schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../models/schemas/webhook-endpoint.ts';
import { purgesOfWebhooks, webhookTried } from '../models/store/metric-events.ts';
import {
  findDue,
  isSuccess,
  nextDueAt,
  noteHealth,
  noteTry,
  type Purged,
  purgeDeliveries,
} from '../models/webhooks/deliveries.ts';
import { dropAwayListeners } from '../models/webhooks/listeners.ts';
import { emailOf, endNotices, toldOfEndpoints } from '../models/webhooks/notices.ts';
import { noteDelivered, tallyTraffic } from '../models/webhooks/traffic.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { inFlight } from '../platform/in-flight.ts';
import {
  currentTraceparent,
  goOnFrom,
  inSpan,
  type Span,
  SpanKind,
  traceparentHeader,
} from '../platform/tracing.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact } from './mail-contact.ts';

/** What the partner is to be told about an endpoint. */
export type EndpointNews = 'FAILING' | 'DISABLED';

/** What delivering came to. */
export interface Delivered {
  /** ISO 8601, when something is due next; null where nothing waits, or nothing may be sent. */
  nextDueAt: string | null;
  news: EndpointNews | null;
}

/** An endpoint is sent so many at a time, and so many are held in memory. */
const atOnce = 8;
const batchSize = 100;
/** An activity ends after so long, so that a worker that stops is not held up. */
const longestMs = 20_000;
/** For so long the sweep leaves an endpoint to whoever delivers to it; the mark is renewed with each batch. */
const markMs = 30_000;
const heartbeatMs = 5_000;
/** One that is busy is looked at again after a moment, which costs less than another workflow. */
const lingerMs = 200;
/** What a mail server answers to what it takes. */
const mailTaken = 250;
const lingersOf = (sent: number) => (sent >= 10 ? 10 : 0);

export function webhookActivities({
  models,
  sealer,
  sendMessage,
  postWebhook,
  portalUrl,
}: Pick<ActivityDeps, 'models' | 'sealer' | 'sendMessage' | 'portalUrl'> & {
  postWebhook: PostWebhook;
}) {
  const find = ({ partnerId, endpointId }: WebhookEndpointRef) =>
    models.webhookEndpoints.findOne({ partnerId, _id: endpointId }).lean();

  return {
    /**
     * Sends what is due at an endpoint, several at a time, for some seconds. A repeat sends again what
     * was sent and not noted, under the same id.
     */
    async deliverWebhooks(ref: WebhookEndpointRef): Promise<Delivered> {
      const stopping = cancellationSignal();
      const untilMs = Date.now() + longestMs;
      const beat = setInterval(() => heartbeat(), heartbeatMs);
      let sent = 0;
      let lingers = 0;
      let read: WebhookEndpointDoc | null = null;
      const tally = tallyTraffic();
      try {
        while (Date.now() < untilMs && !stopping.aborted) {
          const endpoint = await take(ref);
          if (endpoint === null) break;
          read = endpoint;
          const due = await findDue(models, endpoint, new Date(), batchSize);
          if (due.length === 0) {
            if (lingers >= lingersOf(sent)) break;
            lingers += 1;
            await delay(lingerMs);
            continue;
          }
          lingers = 0;
          if (endpoint.userId !== undefined) {
            if (!(await mailNotices(endpoint, endpoint.userId, due))) break;
            continue;
          }
          await inFlight(atOnce, due, async (delivery) => {
            if (Date.now() >= untilMs || stopping.aborted) return;
            sent += 1;
            tally.add(await traced(delivery, (span) => send(endpoint, delivery, span)));
          });
        }
      } finally {
        clearInterval(beat);
        await noteDelivered(models, ref, read, tally.hours);
      }
      return await outcomeOf(ref);
    },

    /** Mails the partner that an endpoint fails, or was disabled. A repeat may mail again. */
    async mailEndpointNews(ref: WebhookEndpointRef, news: EndpointNews): Promise<void> {
      const [endpoint, partner] = await Promise.all([
        find(ref),
        models.partners.findById(ref.partnerId).lean(),
      ]);
      if (endpoint === null) return;
      const users = new Set(await toldOfEndpoints(models, ref.partnerId));
      const mailTo = (to: string) => ({
        id: `webhook-${news.toLowerCase()}-${endpoint._id}-${sha256Hex(to).slice(0, 8)}`,
        ...newsOf(endpoint, news, portalUrl),
      });
      const contact = partner && verifiedContact(partner);
      if (partner && contact !== null && !users.has(contact)) {
        await mailContact({ models, sendMessage }, partner, endpoint.mode, mailTo(contact));
      }
      for (const to of users) await sendMessage({ ...mailTo(to), to });
      const told = news === 'FAILING' ? 'warnedAt' : 'disabledToldAt';
      await models.webhookEndpoints.updateOne(
        { partnerId: ref.partnerId, _id: ref.endpointId },
        { $set: { [told]: new Date() } },
      );
    },

    /** Deletes old deliveries, and ends terminals that listen no more. @returns how many, and how many of them had never arrived */
    async purgeWebhookDeliveries(): Promise<Purged> {
      await dropAwayListeners(models, new Date());
      const purged = await purgeDeliveries(models, Date.now());
      purgesOfWebhooks.publish(purged);
      return purged;
    },
  };

  /** Marks an endpoint as being delivered to. @returns it; null where nothing may be sent to it */
  async function take({ partnerId, endpointId }: WebhookEndpointRef) {
    return await models.webhookEndpoints
      .findOneAndUpdate(
        { partnerId, _id: endpointId, status: 'ACTIVE' },
        { $set: { deliveringUntil: new Date(Date.now() + markMs) } },
        { returnDocument: 'after' },
      )
      .lean();
  }

  /** A try is part of the trace that announced it, whoever makes it and when. */
  async function traced<T>(
    { traceparent, type, tries }: WebhookDeliveryDoc,
    work: (span: Span | undefined) => Promise<T>,
  ): Promise<T> {
    const attributes = { 'app.webhook.type': type, 'app.webhook.try': tries + 1 };
    return await goOnFrom(traceparent, () =>
      inSpan(`POST webhook ${type}`, { kind: SpanKind.CLIENT, attributes }, work),
    );
  }

  /** @returns what came of it */
  async function send(
    endpoint: WebhookEndpointDoc,
    delivery: WebhookDeliveryDoc,
    span: Span | undefined,
  ): Promise<WebhookTry> {
    const at = new Date();
    const secrets = endpoint.secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > at)
      .map(({ sealed }) => sealer.open(sealed, endpoint._id));
    const { eventId: id, body, createdAt, tries, mode } = delivery;
    const headers = webhookHeaders({ id, body }, secrets, Math.floor(at.getTime() / 1000));
    const { url, partnerId } = endpoint;
    const target = { url, mode: endpoint.mode, isOperators: partnerId === operatorsId };
    const traceparent = currentTraceparent();
    const traced = { ...headers, ...(traceparent && { [traceparentHeader]: traceparent }) };
    const answered = await postWebhook(target, traced, body);
    if (answered.status !== null) span?.setAttribute('http.response.status_code', answered.status);
    if (answered.error !== null) span?.setAttribute('error.type', answered.error);
    const tried = { at, ...answered };
    await noteTry(models, delivery, tried);
    const { retryAfterMs: _asked, ...noted } = tried;
    await noteHealth(models, endpoint, noted);
    webhookTried.publish({
      mode,
      isSuccess: isSuccess(tried),
      durationMs: tried.durationMs,
      firstTriedAfterMs: tries === 0 ? at.getTime() - createdAt.getTime() : null,
    });
    return noted;
  }

  /**
   * Sends a user one email about all that waits for them.
   * @returns whether it was sent; what was not is tried again later
   */
  async function mailNotices(
    { partnerId }: WebhookEndpointDoc,
    userId: string,
    due: readonly WebhookDeliveryDoc[],
  ): Promise<boolean> {
    const at = new Date();
    const [partner, to] = await Promise.all([
      models.partners.findById(partnerId).lean(),
      emailOf(models, { partnerId, userId }),
    ]);
    if (to === null) {
      await endNotices(models, { partnerId, userId });
      return false;
    }
    const events = due.map(({ eventId: id, body }): NoticeEvent => ({ ...JSON.parse(body), id }));
    const error = await sendMessage(
      noticeMail(portalUrl, to, events, partner?.currency ?? ''),
    ).then(
      () => null,
      () => 'MAIL_NOT_SENT',
    );
    const durationMs = Date.now() - at.getTime();
    const status = error === null ? mailTaken : null;
    for (const delivery of due) {
      const noted = { at, durationMs, status, error, answer: '', retryAfterMs: null };
      await noteTry(models, delivery, noted);
    }
    return error === null;
  }

  async function outcomeOf(ref: WebhookEndpointRef): Promise<Delivered> {
    const endpoint = await find(ref);
    if (endpoint === null) {
      // It was deleted while something for it was on its way into the outbox.
      const { partnerId, endpointId } = ref;
      await models.webhookDeliveries.deleteMany({ partnerId, endpointId, state: 'PENDING' });
      return { nextDueAt: null, news: null };
    }
    const { status, failingSince, warnedAt, disabledToldAt } = endpoint;
    if (status === 'DISABLED') {
      return { nextDueAt: null, news: disabledToldAt === null ? 'DISABLED' : null };
    }
    if (status !== 'ACTIVE') return { nextDueAt: null, news: null };
    const isToBeWarned =
      warnedAt === null &&
      failingSince !== null &&
      failingSince.getTime() + warnAfterMs <= Date.now();
    const next = await nextDueAt(models, endpoint);
    return { nextDueAt: next?.toISOString() ?? null, news: isToBeWarned ? 'FAILING' : null };
  }
}

function newsOf(
  { _id, url, mode, disabledReason }: WebhookEndpointDoc,
  news: EndpointNews,
  portalUrl: string,
) {
  const subject =
    news === 'FAILING'
      ? `Your ${mode} webhook endpoint has been failing for a day`
      : `Your ${mode} webhook endpoint was disabled`;
  const why =
    news === 'FAILING'
      ? 'It has not answered one webhook with 2xx for a day. After five such days it is disabled.'
      : disabledReason === 'GONE'
        ? 'It answered 410 Gone, which asks us to stop.'
        : 'It has not answered one webhook with 2xx for five days.';
  return portalMail(
    { subject },
    {
      paragraphs: [
        `${new URL(url).origin} (${_id})`,
        why,
        'What was not delivered is kept for thirty days, and can be sent again.',
      ],
      link: { text: 'View your webhooks', url: `${portalUrl}/` },
    },
  );
}
