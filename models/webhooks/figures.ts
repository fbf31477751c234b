import type { Models } from '../schemas/index.ts';
import { findDue, findDueEndpoints } from './deliveries.ts';

/** So many endpoints with something due are looked at; who waits shows among them. */
const maxLookedAt = 200;
/** A figure that takes longer is given up. */
const patienceMs = 2_000;

/** How partners' endpoints are, and whether what is due is being sent. */
export interface WebhookFigures {
  endpoints: Record<'well' | 'failing' | 'paused' | 'disabled', number>;
  /** How long something has been due that nobody is sending, though its endpoint takes webhooks. */
  waitingMs: number;
}

/** Reads the figures: what is waiting, and the endpoints that there are; nothing of what arrived. */
export async function readWebhookFigures(models: Models, nowMs: number): Promise<WebhookFigures> {
  const count = (where: object) =>
    models.webhookEndpoints.countDocuments(
      { ...where, userId: { $exists: false } },
      { maxTimeMS: patienceMs },
    );
  const [well, failing, paused, disabled, waitingMs] = await Promise.all([
    count({ status: 'ACTIVE', failingSince: null }),
    count({ status: 'ACTIVE', failingSince: { $ne: null } }),
    count({ status: 'PAUSED' }),
    count({ status: 'DISABLED' }),
    longestWaitMs(models, nowMs),
  ]);
  return { endpoints: { well, failing, paused, disabled }, waitingMs };
}

async function longestWaitMs(models: Models, nowMs: number): Promise<number> {
  const now = new Date(nowMs);
  const due = await findDueEndpoints(models, now, { after: '', limit: maxLookedAt });
  const idle = await models.webhookEndpoints
    .find(
      { _id: { $in: due }, status: 'ACTIVE', deliveringUntil: { $not: { $gt: now } } },
      { partnerId: 1, deliveringUntil: 1 },
    )
    .lean();
  const waits = await Promise.all(
    idle.map(async (endpoint) => {
      const [oldest] = await findDue(models, endpoint, now, 1);
      // Since it was due, or since whoever sent to it last has ended.
      const sinceMs = Math.max(
        oldest?.nextTryAt?.getTime() ?? nowMs,
        endpoint.deliveringUntil?.getTime() ?? 0,
      );
      return nowMs - sinceMs;
    }),
  );
  return Math.max(0, ...waits);
}
