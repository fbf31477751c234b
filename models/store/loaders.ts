import { LRUCache } from 'lru-cache';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { AnyCollection, Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

const maxTogether = 100;

/** How long partners are cached. A burst concerns few of them. */
const partnerFor = { max: 1_000, ttl: 250 };
/** The newest purchases, which are read again right after their workflow has begun. */
const newestEvents = 1_000;

/** Finds partners by id. Concurrent requests share a read. */
export function createPartnerLoader({
  partners,
}: Models): (partnerId: string) => Promise<PartnerDoc> {
  const known = new LRUCache<string, PartnerDoc>(partnerFor);
  const read = createBatchedReads<string, PartnerDoc | undefined>(
    { maxBatch: maxTogether },
    async (ids) => {
      const found = await partners.find({ _id: { $in: ids } });
      const byId = new Map(found.map((partner) => [partner._id, partner]));
      return ids.map((id) => byId.get(id));
    },
  );
  return async (partnerId) => {
    const kept = known.get(partnerId);
    if (kept) return kept;
    const partner = (await read('partners', partnerId)) ?? missing(`partner ${partnerId}`);
    known.set(partnerId, partner);
    return partner;
  };
}

/**
 * Finds order events by id. Concurrent requests share a read, and events whose workflow just began
 * are cached.
 */
export function createEventLoader({ orderEvents }: Models) {
  const find = createDocumentLoader<OrderEventDoc>(orderEvents);
  const begun = new LRUCache<string, OrderEventDoc>({ max: newestEvents });
  return {
    remember(event: OrderEventDoc): void {
      begun.set(event._id, event);
    },
    async find(partnerId: string, eventId: string): Promise<OrderEventDoc> {
      const event = begun.get(eventId);
      if (event?.partnerId === partnerId) return event;
      return (await find(partnerId, eventId)) ?? missing(`event ${eventId}`);
    },
  };
}

export type EventLoader = ReturnType<typeof createEventLoader>;

/**
 * Finds documents of a partner by id in any collection; undefined if there is none. Concurrent
 * requests share a read.
 */
export function createDocumentLoader<Doc extends { _id: string; partnerId: string }>({
  collection,
}: {
  collection: AnyCollection;
}): (partnerId: string, id: string) => Promise<Doc | undefined> {
  const read = createBatchedReads<{ partnerId: string; id: string }, Doc | undefined>(
    { maxBatch: maxTogether },
    async (requests) => {
      const partnerIds = [...new Set(requests.map(({ partnerId }) => partnerId))];
      const ids = requests.map(({ id }) => id);
      const found = await collection
        .find<Doc>({ partnerId: { $in: partnerIds }, _id: { $in: ids } })
        .toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return requests.map(({ partnerId, id }) => {
        const document = byId.get(id);
        return document?.partnerId === partnerId ? document : undefined;
      });
    },
  );
  return (partnerId, id) => read('all', { partnerId, id });
}

function missing(what: string): never {
  throw new Error(`there is no ${what}`);
}
