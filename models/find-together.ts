import { createBatchedReads } from '../platform/batched-reads.ts';
import type { Models } from './schemas/index.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';
import type { PartnerDoc } from './schemas/partner.ts';

/** The most documents that are found by one read. */
const maxTogether = 100;

/** Finds partners by their id, those that are asked for at the same time by one read. */
export function createFindPartner({
  partners,
}: Models): (partnerId: string) => Promise<PartnerDoc> {
  const read = createBatchedReads<string, PartnerDoc | undefined>(maxTogether, async (ids) => {
    const found = await partners.find({ _id: { $in: ids } }).lean();
    const byId = new Map(found.map((partner) => [partner._id, partner]));
    return ids.map((id) => byId.get(id));
  });
  return async (partnerId) =>
    (await read('partners', partnerId)) ?? missing(`partner ${partnerId}`);
}

/** Finds order events of a partner by their id, in the same way. */
export function createFindEvent({
  orderEvents,
}: Models): (partnerId: string, eventId: string) => Promise<OrderEventDoc> {
  const read = createBatchedReads<
    { partnerId: string; eventId: string },
    OrderEventDoc | undefined
  >(maxTogether, async (asked) => {
    const partnerIds = [...new Set(asked.map(({ partnerId }) => partnerId))];
    const eventIds = asked.map(({ eventId }) => eventId);
    const found = await orderEvents.collection
      .find<OrderEventDoc>({
        partnerId: { $in: partnerIds },
        _id: { $in: eventIds as never[] },
      })
      .toArray();
    const byId = new Map(found.map((event) => [event._id, event]));
    return asked.map(({ partnerId, eventId }) => {
      const event = byId.get(eventId);
      return event?.partnerId === partnerId ? event : undefined;
    });
  });
  return async (partnerId, eventId) =>
    (await read('events', { partnerId, eventId })) ?? missing(`event ${eventId}`);
}

function missing(what: string): never {
  throw new Error(`there is no ${what}`);
}
