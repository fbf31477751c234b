import { outdatedHours, type WebhookHour, webhookHourOf } from '../../domain/webhook-traffic.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookTry } from '../schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { isSuccess } from './deliveries.ts';

/**
 * Counts tries of one endpoint in memory, hour by hour, so that what a page shows of them costs no write
 * for each. A process that dies loses a few seconds of it: nothing but a drawing is made of these figures.
 */
export function tallyTraffic() {
  const hours = new Map<string, WebhookHour>();
  return {
    add(tried: Pick<WebhookTry, 'at' | 'status' | 'durationMs'>): void {
      const hour = webhookHourOf(tried.at.getTime());
      const sum = hours.get(hour) ?? { succeeded: 0, failed: 0, durationMs: 0 };
      sum[isSuccess(tried) ? 'succeeded' : 'failed'] += 1;
      sum.durationMs += tried.durationMs;
      hours.set(hour, sum);
    },
    hours,
  };
}

/** Notes that nobody delivers to an endpoint any more, and how it answered meanwhile. */
export async function noteDelivered(
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
  await models.webhookEndpoints.collection.updateOne({ partnerId, _id: endpointId as never }, {
    $set: { deliveringUntil: now },
    ...(added.length > 0 && { $inc: Object.fromEntries(added) }),
    ...(outdated.length > 0 && {
      $unset: Object.fromEntries(outdated.map((hour) => [`traffic.${hour}`, ''])),
    }),
  } as never);
}
