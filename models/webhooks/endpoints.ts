import type { Mode } from '../../domain/mode.ts';
import {
  operatorsId,
  outdatedHours,
  type WebhookHour,
  webhookHourOf,
} from '../../domain/webhooks.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookAttempt, WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { requireFound } from '../store/require-found.ts';
import { deletePendingDeliveries, findDue, findDueEndpoints, isSuccess } from './deliveries.ts';

/**
 * A partner's webhook endpoint.
 * @throws ServiceError NOT_FOUND, also for another partner's, for listeners, for users' notices, and for the
 *   operators' own, whose address and secret come from the configuration alone
 * @param isOperatorsToo for its deliveries, which operators list and resend
 */
export async function findEndpoint(
  { webhookEndpoints }: Models,
  partnerId: string,
  endpointId: string,
  isOperatorsToo = false,
): Promise<WebhookEndpointDoc> {
  const endpoint = await webhookEndpoints.findOne({
    $and: [{ partnerId }, ...(isOperatorsToo ? [] : [{ partnerId: { $ne: operatorsId } }])],
    _id: endpointId,
    status: { $ne: 'LISTENING' },
    userId: { $exists: false },
  });
  return requireFound(endpoint, 'webhook endpoint', endpointId);
}

/** The condition on the endpoints of a partner, without listeners and users' notices. */
export const endpointsOf = (partnerId: string) => ({
  partnerId,
  status: { $ne: 'LISTENING' },
  userId: { $exists: false },
});

/** The occupied slots of a partner's endpoints in one mode, whose number is limited. */
export async function takenSlots(
  { webhookEndpoints }: Models,
  partnerId: string,
  mode: Mode,
): Promise<Set<number>> {
  const taken = await webhookEndpoints.find({ partnerId, mode }, { slot: 1 });
  return new Set(taken.map(({ slot }) => slot));
}

/**
 * Deletes an endpoint and its pending deliveries; if there are many, the sweep deletes the rest. Other
 * deliveries stay for 30 days.
 */
export async function removeEndpoint(
  models: Models,
  { partnerId, endpointId }: { partnerId: string; endpointId: string },
): Promise<void> {
  await models.webhookEndpoints.deleteOne({ partnerId, _id: endpointId });
  await deletePendingDeliveries(models, endpointId);
}

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
        (oldest?.nextTryAt ?? oldest?.createdAt ?? now).getTime(),
        endpoint.deliveringUntil?.getTime() ?? 0,
      );
      return nowMs - sinceMs;
    }),
  );
  return Math.max(0, ...waits);
}

/**
 * Counts the attempts of one endpoint by hour, in memory, so that the chart on its page costs no write
 * per attempt. A crash loses a few seconds of the counts, which only this chart uses.
 */
export function tallyTraffic() {
  const hours = new Map<string, WebhookHour>();
  return {
    add(attempt: Pick<WebhookAttempt, 'at' | 'status' | 'durationMs'>): void {
      const hour = webhookHourOf(attempt.at.getTime());
      const sum = hours.get(hour) ?? { succeeded: 0, failed: 0, durationMs: 0 };
      sum[isSuccess(attempt) ? 'succeeded' : 'failed'] += 1;
      sum.durationMs += attempt.durationMs;
      hours.set(hour, sum);
    },
    hours,
  };
}

/** Clears the mark that an endpoint is being delivered to, and adds the counted attempts to it. */
export async function recordTraffic(
  models: Models,
  { partnerId, endpointId }: { partnerId: string; endpointId: string },
  read: Pick<WebhookEndpointDoc, 'traffic'> | null,
  hours: ReadonlyMap<string, WebhookHour>,
): Promise<void> {
  const now = new Date();
  const added = [...hours].flatMap(([hour, sum]) =>
    Object.entries(sum).map(([name, by]) => [`traffic.${hour}.${name}`, by] as const),
  );
  const outdated = outdatedHours(read?.traffic ?? {}, now.getTime());
  await models.webhookEndpoints.collection.updateOne(
    { partnerId, _id: endpointId },
    {
      $set: { deliveringUntil: now },
      ...(added.length > 0 && { $inc: Object.fromEntries(added) }),
      ...(outdated.length > 0 && {
        $unset: Object.fromEntries(outdated.map((hour) => [`traffic.${hour}`, ''])),
      }),
    },
  );
}
