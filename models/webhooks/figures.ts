import type { Models } from '../schemas/index.ts';
import { findDue, findDueEndpoints } from './deliveries.ts';

/** At most this many endpoints with due deliveries are examined. */
const maxLookedAt = 200;
const countTimeoutMs = 2_000;

/** The number of partners' endpoints by state, and whether due deliveries are being sent. */
export interface WebhookFigures {
  endpoints: Record<'well' | 'failing' | 'paused' | 'disabled', number>;
  /** How long the oldest due delivery to an active endpoint has been waiting without being sent. */
  waitingMs: number;
}

/** Reads the figures from endpoints and due deliveries only, so that it stays fast. */
export async function readWebhookFigures(models: Models, nowMs: number): Promise<WebhookFigures> {
  const count = (where: object) =>
    models.webhookEndpoints.countDocuments(
      { ...where, userId: { $exists: false } },
      { maxTimeMS: countTimeoutMs },
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
  const idle = await models.webhookEndpoints.find(
    { _id: { $in: due }, status: 'ACTIVE', deliveringUntil: { $not: { $gt: now } } },
    { partnerId: 1, deliveringUntil: 1 },
  );
  const waits = await Promise.all(
    idle.map(async (endpoint) => {
      const [oldest] = await findDue(models, endpoint, now, 1);
      // Since it was due, or since the last process to send to the endpoint has stopped.
      const sinceMs = Math.max(
        oldest?.nextTryAt?.getTime() ?? nowMs,
        endpoint.deliveringUntil?.getTime() ?? 0,
      );
      return nowMs - sinceMs;
    }),
  );
  return Math.max(0, ...waits);
}
