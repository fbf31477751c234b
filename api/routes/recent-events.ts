import type { Mode } from '../../domain/events.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { OrderEventDoc } from '../../models/schemas/order-event.ts';

const newest = 20;
const shown = {
  _id: 1,
  type: 1,
  externalOrderId: 1,
  answer: 1,
  occurredAt: 1,
  receivedAt: 1,
} as const;

/** The 20 newest order events of a partner in one mode, newest first. */
export async function recentEvents(models: Models, partnerId: string, mode: Mode) {
  const events = await models.orderEvents.collection
    .find<Pick<OrderEventDoc, keyof typeof shown>>(
      { partnerId, mode },
      { projection: shown, sort: { _id: -1 }, limit: newest, batchSize: newest, singleBatch: true },
    )
    .toArray();
  return events.map((event) => ({
    eventId: event._id,
    type: event.type,
    externalOrderId: event.externalOrderId,
    points: pointsOf(event),
    occurredAt: event.occurredAt?.toISOString() ?? null,
    receivedAt: event.receivedAt.toISOString(),
  }));
}

/** As the event was answered: the points of the reward that it made, or was about. */
function pointsOf({ answer }: Pick<OrderEventDoc, 'answer'>): number {
  return (JSON.parse(answer) as { reward: { points: number } }).reward.points;
}
