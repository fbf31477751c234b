import { correspondingId, timeOfId } from '../../platform/ids.ts';
import { type Accepted, integrationEventOf } from '../events/integration-events.ts';
import { markedIndexes, type OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { IntegrationEventDoc } from '../schemas/requests.ts';
import type { LogFilter, Span } from './log-filter.ts';

const fields = {
  partnerId: 1,
  integrationId: 1,
  credentialId: 1,
  mode: 1,
  type: 1,
  requestId: 1,
  request: 1,
  externalOrderId: 1,
  receivedAt: 1,
  address: 1,
} as const;

/**
 * The integration events that workflows have not written yet, made from the pending order events with the
 * ids that they will have. Reads a range of the index of pending events.
 */
export async function findJustAccepted(
  models: Models,
  { partnerId, mode, type, code, externalOrderId }: LogFilter,
  { above, below, newestFirst }: Span,
  limit: number,
): Promise<IntegrationEventDoc[]> {
  if (type === 'READ' || (code ?? 'ACCEPTED') !== 'ACCEPTED') return [];
  const direction = newestFirst ? -1 : 1;
  const marked = await models.orderEvents.collection
    .find<Accepted & Pick<OrderEventDoc, 'address'>>(
      {
        pendingSince: { $gte: new Date(timeOfId(above)), $lte: new Date(timeOfId(below)) },
        _id: {
          $gt: correspondingId('event', above),
          $lt: correspondingId('event', below),
        },
        ...(partnerId !== null && { partnerId }),
        ...(mode && { mode }),
        ...(type && { type }),
        ...(externalOrderId !== undefined && { externalOrderId }),
      },
      {
        projection: fields,
        limit,
        ...(partnerId === null
          ? { sort: { pendingSince: direction, _id: direction }, hint: markedIndexes.all }
          : { sort: { _id: direction }, hint: markedIndexes.ofPartner }),
      },
    )
    .toArray();
  return marked.map((event) => integrationEventOf(event, event.address ?? null));
}
