import { setTimeout as delay } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { verifiedContact } from '../domain/partner-contact.ts';
import { warnAfterMs } from '../domain/webhooks.ts';
import type { WebhookEndpointRef } from '../domain/workflow-names.ts';
import { type NoticeEvent, noticeMail } from '../messaging/notice-mail.ts';
import { portalMail } from '../messaging/portal-mails.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import { teamText } from '../messaging/words/team-en.ts';
import type { WebhookDeliveryDoc } from '../models/schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../models/schemas/webhook-endpoint.ts';
import { purgesOfWebhooks } from '../models/store/metric-events.ts';
import {
  dropWaiting,
  type EndpointHealth,
  findDue,
  isSuccess,
  nextDueAt,
  noteHealth,
  noteTries,
  type Purged,
  purgeDeliveries,
} from '../models/webhooks/deliveries.ts';
import { dropAwayListeners } from '../models/webhooks/listeners.ts';
import { emailOf, emailsForEndpointNotices, endNotices } from '../models/webhooks/notices.ts';
import { noteDelivered, tallyTraffic } from '../models/webhooks/traffic.ts';
import { forEachConcurrently } from '../platform/for-each-concurrently.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact } from './mail-contact.ts';
import { collectNotes } from './webhook-notes.ts';
import { createWebhookSender } from './webhook-sender.ts';

/** What the partner is to be told about an endpoint. */
export type EndpointNotice = 'FAILING' | 'DISABLED';

/** What delivering came to. */
export interface Delivered {
  /** ISO 8601, when something is due next; null where nothing waits, or nothing may be sent. */
  nextDueAt: string | null;
  news: EndpointNotice | null;
}

/** An endpoint is sent so many at a time, and so many are held in memory. */
const atOnce = 8;
const batchSize = 100;
/** An activity ends after so long, so that a worker that stops is not held up. */
const longestMs = 20_000;
/** For so long the sweep leaves an endpoint to whoever delivers to it. */
const markMs = 40_000;
/** The mark is renewed so often, and what was changed about the endpoint is seen as late. */
const takeMs = 1_000;
const heartbeatMs = 5_000;
/** What comes while few are due is sent together, so that each costs less of a read and a write. */
const maxWaitMs = 100;
/** One that is busy is looked at again after a moment, which costs less than another workflow. */
const lingerMs = 500;
/** One that fails is probed: one at a time with a pause, until it answers well. */
const failuresInRow = 8;
const probeMs = 500;
const slowMs = 1_000;
/** What a mail server answers to what it takes. */
const mailTaken = 250;
const lingersOf = (sent: number) => (sent >= 10 ? 4 : 0);

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
  const sender = createWebhookSender({ sealer, postWebhook });

  return {
    /**
     * Sends what is due at an endpoint, several at a time, for some seconds. A repeat sends again what
     * was sent and not noted, under the same id.
     */
    async deliverWebhooks(ref: WebhookEndpointRef): Promise<Delivered> {
      const stopping = cancellationSignal();
      const untilMs = Date.now() + longestMs;
      const isOver = () => Date.now() >= untilMs || stopping.aborted;
      const beat = setInterval(() => heartbeat(), heartbeatMs);
      let sent = 0;
      let lingers = 0;
      let takenAtMs = Number.NEGATIVE_INFINITY;
      let endpoint: WebhookEndpointDoc | null = null;
      let health: EndpointHealth = { failingSince: null, isDisabled: false };
      const tally = tallyTraffic();
      try {
        while (!isOver()) {
          if (health.isDisabled || performance.now() >= takenAtMs + takeMs) {
            takenAtMs = performance.now();
            const taken = await take(ref);
            if (taken === null) break;
            endpoint = taken;
            health = { failingSince: taken.failingSince, isDisabled: false };
          }
          if (endpoint === null) break;
          const isProbed = health.failingSince !== null && endpoint.userId === undefined;
          const due = await findDue(models, endpoint, new Date(), isProbed ? 1 : batchSize);
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
          const sentAtMs = performance.now();
          sent += await sendAll(endpoint, health, due, { isOver, tally });
          if (!isProbed || health.failingSince === null) {
            if (due.length < batchSize) await delay(maxWaitMs);
            continue;
          }
          // One that hangs gives its place back after each try, so that others have their turn.
          if (performance.now() > sentAtMs + slowMs) break;
          await delay(probeMs);
        }
      } finally {
        clearInterval(beat);
        await noteDelivered(models, ref, endpoint, tally.hours);
      }
      return await outcomeOf(ref);
    },

    /** Mails the partner that an endpoint fails, or was disabled. A repeat may mail again. */
    async mailEndpointNews(ref: WebhookEndpointRef, news: EndpointNotice): Promise<void> {
      const [endpoint, partner] = await Promise.all([
        find(ref),
        models.partners.findById(ref.partnerId).lean(),
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
      for (const to of users) await sendMessage({ ...mailTo(to), to });
      const told = news === 'FAILING' ? 'warnedAt' : 'disabledNoticeAt';
      await models.webhookEndpoints.updateOne(
        { partnerId: ref.partnerId, _id: ref.endpointId },
        { $set: { [told]: new Date() } },
      );
    },

    /** Deletes old deliveries, and ends terminals that listen no more. @returns how many, and how many of them had never arrived */
    async purgeWebhookDeliveries(): Promise<Purged> {
      await dropAwayListeners(models, new Date());
      const purged = await purgeDeliveries(models, Date.now(), heartbeat);
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

  /**
   * Sends several at a time, and ends early where nothing but failures comes back.
   * @returns how many were sent; what came of each is written
   */
  async function sendAll(
    endpoint: WebhookEndpointDoc,
    health: EndpointHealth,
    due: readonly WebhookDeliveryDoc[],
    { isOver, tally }: { isOver(): boolean; tally: ReturnType<typeof tallyTraffic> },
  ): Promise<number> {
    const send = sender.to(endpoint);
    const notes = collectNotes(models);
    let sent = 0;
    let failed = 0;
    try {
      await forEachConcurrently(atOnce, due, async (delivery) => {
        if (isOver() || health.isDisabled || failed >= failuresInRow) return;
        sent += 1;
        const tried = await send(delivery);
        failed = isSuccess(tried) ? 0 : failed + 1;
        tally.add(tried);
        notes.add({ delivery, tried });
        await noteHealth(models, endpoint, health, tried);
      });
    } finally {
      await notes.end();
    }
    return sent;
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
    const tried = { at, durationMs, status, error, answer: '', retryAfterMs: null };
    await noteTries(
      models,
      due.map((delivery) => ({ delivery, tried })),
    );
    return error === null;
  }

  async function outcomeOf(ref: WebhookEndpointRef): Promise<Delivered> {
    const endpoint = await find(ref);
    if (endpoint === null) {
      // It was deleted while something for it was on its way into the outbox.
      await dropWaiting(models, ref.endpointId);
      return { nextDueAt: null, news: null };
    }
    const { status, failingSince, warnedAt, disabledNoticeAt } = endpoint;
    if (status === 'DISABLED') {
      return { nextDueAt: null, news: disabledNoticeAt === null ? 'DISABLED' : null };
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
  news: EndpointNotice,
  portalUrl: string,
) {
  const subject = teamText(
    news === 'FAILING' ? 'endpoint.failing.subject' : 'endpoint.disabled.subject',
    {
      mode,
    },
  );
  const why =
    news === 'FAILING'
      ? teamText('endpoint.failing')
      : teamText(disabledReason === 'GONE' ? 'endpoint.gone' : 'endpoint.disabled');
  return portalMail(
    { subject },
    {
      paragraphs: [`${new URL(url).origin} (${_id})`, why, teamText('endpoint.kept')],
      link: { text: teamText('endpoint.button'), url: `${portalUrl}/` },
    },
  );
}
