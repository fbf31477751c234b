import { outdatedHours, type WebhookHour, webhookHourOf } from '../../domain/webhook-traffic.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookAttempt, WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { isSuccess } from './deliveries.ts';

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
