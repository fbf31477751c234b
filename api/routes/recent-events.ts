import type { Mode } from '../../domain/mode.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { Models } from '../../models/schemas/index.ts';

const newest = 20;
const shown = {
  _id: 1,
  type: 1,
  externalOrderId: 1,
  'purchase.arithmetic.points': 1,
  rewardPoints: 1,
  occurredAt: 1,
  receivedAt: 1,
} as const;

type ShownEvent = Pick<
  OrderEventDoc,
  '_id' | 'type' | 'externalOrderId' | 'occurredAt' | 'receivedAt' | 'purchase' | 'rewardPoints'
>;

/** The 20 newest order events of a partner in one mode, newest first. */
export async function recentEvents(models: Models, partnerId: string, mode: Mode) {
  const events = await models.orderEvents.collection
    .find<ShownEvent>(
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

/** The points of the event's reward. */
function pointsOf({ purchase, rewardPoints = 0 }: ShownEvent): number {
  return purchase?.arithmetic.points ?? rewardPoints;
}
