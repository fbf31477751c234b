import { LRUCache } from 'lru-cache';
import type { Answer, EventType, Origin } from '../domain/events.ts';
import { maxRefundsPerOrder, refusals } from '../domain/refusals.ts';
import { createBatchedReads } from '../platform/batched-reads.ts';
import type { OfCustomer } from './data-keys.ts';
import type { Models } from './schemas/index.ts';
import type { OrderEventDoc, PurchaseFacts } from './schemas/order-event.ts';

/** What of an earlier event decides about a new one. */
const deciding = {
  type: 1,
  credentialId: 1,
  integrationId: 1,
  mode: 1,
  idempotencyKeyHash: 1,
  payloadHash: 1,
  requestId: 1,
  externalOrderId: 1,
  externalRefundId: 1,
  rewardId: 1,
  partnerId: 1,
  workflowId: 1,
  answer: 1,
} as const;

export type EarlierEvent = Pick<OrderEventDoc, '_id' | keyof typeof deciding> & {
  purchase: Pick<PurchaseFacts, 'customerKey'> | null;
};

/** What of it answers a repeat. */
export type Repeatable = Pick<
  EarlierEvent,
  | '_id'
  | 'credentialId'
  | 'type'
  | 'idempotencyKeyHash'
  | 'payloadHash'
  | 'externalOrderId'
  | 'requestId'
  | 'answer'
>;

export interface EarlierEvents {
  /** Under the same idempotency key: what answers a repeat, whatever else is known. */
  byKey: Repeatable | undefined;
  /** A purchase of the same order or a refund of the same refund id, whichever `type` asks for. */
  byExternal: EarlierEvent | undefined;
  /** The purchase of this order. */
  purchase: EarlierEvent | undefined;
}

/** An event that asks whether it is new. */
export type Newcomer = Pick<
  Origin,
  'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash' | 'payloadHash'
> & { type: EventType; externalOrderId: string; externalRefundId?: string };

/** What a repeat repeats. */
type Key = Pick<Newcomer, 'credentialId' | 'type' | 'idempotencyKeyHash'>;

/** How many events a process remembers, of a kilobyte or so each. */
const maxRemembered = 10_000;
/** The most events whose earlier ones are looked for in one read. */
const maxAskedAtOnce = 100;
/** Its key, its order and, of a refund, its id. */
const maxFoundOfOne = 3;

/**
 * One indexed read for all that decides whether an event is new (contract, Idempotency). It is the
 * fast path; the unique indexes decide all the same. A repeat is answered only from what a majority
 * of the database's members has: what one has alone may be undone by a change of primary. On a replica
 * set of one member that cost nothing that could be measured (20 rounds of 200 reads, each way).
 */
export async function findEarlierEvents(models: Models, event: Newcomer): Promise<EarlierEvents> {
  const [found] = await findEarlierOfAll(models, [event]);
  return found as EarlierEvents;
}

export type EarlierEventsFinder = ReturnType<typeof createEarlierEvents>;

/**
 * The same for a process that is asked all the time: events of one credential and type that ask at
 * once share a read, and a key that was just answered costs none. An event never changes, so that what
 * a majority has can be remembered.
 */
export function createEarlierEvents(models: Models) {
  const answered = new LRUCache<string, Repeatable>({ max: maxRemembered });
  const keyOf = (event: Key) => `${event.credentialId}/${event.type}/${event.idempotencyKeyHash}`;
  const read = createBatchedReads<Newcomer, EarlierEvents>({ maxBatch: maxAskedAtOnce }, (events) =>
    findEarlierOfAll(models, events),
  );
  /** @param event is written and acknowledged by a majority */
  const remember = (event: Repeatable): void => {
    const { _id, credentialId, type, idempotencyKeyHash, payloadHash } = event;
    const { externalOrderId, requestId, answer } = event;
    answered.set(keyOf(event), {
      ...{ _id, credentialId, type, idempotencyKeyHash, payloadHash },
      ...{ externalOrderId, requestId, answer },
    });
  };
  return {
    remember,
    /** What this process knows to stand under a key; costs no read. */
    remembered: (event: Key): Repeatable | undefined => answered.get(keyOf(event)),
    async find(event: Newcomer): Promise<EarlierEvents> {
      const byKey = answered.get(keyOf(event));
      if (byKey) return { byKey, byExternal: undefined, purchase: undefined };
      const earlier = await read(`${event.credentialId}/${event.type}`, event);
      if (earlier.byKey) remember(earlier.byKey);
      return earlier;
    },
  };
}

function keyedBy<Key>(events: readonly EarlierEvent[], keyOf: (event: EarlierEvent) => Key) {
  return new Map(events.map((event) => [keyOf(event), event]));
}

/** @param events of one credential and type */
async function findEarlierOfAll(
  models: Models,
  events: readonly Newcomer[],
): Promise<EarlierEvents[]> {
  const [first] = events;
  if (first === undefined) return [];
  const { partnerId, credentialId, integrationId, mode, type } = first;
  const ofSource = { partnerId, mode, integrationId };
  const orders = events.map(({ externalOrderId }) => externalOrderId);
  const refunds = events.map(({ externalRefundId }) => externalRefundId);
  const keys = events.map(({ idempotencyKeyHash }) => idempotencyKeyHash);
  const limit = maxFoundOfOne * events.length;
  const found = await models.orderEvents.collection
    .find<EarlierEvent>(
      {
        $or: [
          { partnerId, credentialId, type, idempotencyKeyHash: { $in: keys } },
          { ...ofSource, type: 'PURCHASE', externalOrderId: { $in: orders } },
          ...(type === 'REFUND' ? [{ ...ofSource, type, externalRefundId: { $in: refunds } }] : []),
        ],
      },
      {
        projection: { ...deciding, 'purchase.customerKey': 1 },
        limit,
        batchSize: limit,
        singleBatch: true,
        readConcern: { level: 'majority' },
      },
    )
    .toArray();
  const isOfSource = (one: EarlierEvent) =>
    one.integrationId === integrationId && one.mode === mode;
  const ofType = (wanted: EventType) => found.filter((one) => one.type === wanted);
  const purchases = keyedBy(ofType('PURCHASE').filter(isOfSource), (one) => one.externalOrderId);
  const refundBy = keyedBy(ofType('REFUND').filter(isOfSource), (one) => one.externalRefundId);
  const byKey = keyedBy(
    ofType(type).filter((one) => one.credentialId === credentialId),
    (one) => one.idempotencyKeyHash,
  );
  return events.map((event) => {
    const purchase = purchases.get(event.externalOrderId);
    return {
      byKey: byKey.get(event.idempotencyKeyHash),
      byExternal: type === 'PURCHASE' ? purchase : refundBy.get(event.externalRefundId ?? null),
      purchase,
    };
  });
}

/**
 * What the record says to an event whose key or external id it knows (contract, Idempotency 2, 4 and
 * 6); undefined to a new one.
 */
export function answerFromRecord(
  { byKey, byExternal }: EarlierEvents,
  { type, payloadHash }: Pick<Newcomer, 'type' | 'payloadHash'>,
): Answer | undefined {
  if (byKey) return byKey.payloadHash === payloadHash ? answeredBy(byKey) : refusals.conflict();
  if (!byExternal) return undefined;
  return type === 'PURCHASE'
    ? refusals.duplicateOrder(byExternal)
    : refusals.duplicateRefund(byExternal);
}

/** Whose purchase it is. */
export function customerOf({
  _id,
  partnerId,
  purchase,
}: Pick<EarlierEvent, '_id' | 'partnerId' | 'purchase'>): OfCustomer {
  if (purchase === null) throw new Error(`${_id} is no purchase`);
  return { partnerId, customerKey: purchase.customerKey };
}

/** The stored answer of an event. */
export function answeredBy({
  _id,
  answer,
  requestId,
}: Pick<OrderEventDoc, '_id' | 'answer' | 'requestId'>): Answer {
  return { kind: 'ANSWERED', eventId: _id, body: answer, requestId };
}

/** Whether the order has had all the refunds that one may have. One range of an index, and bounded. */
export async function hasMostRefunds(
  models: Models,
  { partnerId, purchaseEventId }: Pick<OrderEventDoc, 'partnerId' | 'purchaseEventId'>,
): Promise<boolean> {
  const events = await models.orderEvents.collection.countDocuments(
    { partnerId, purchaseEventId },
    { limit: maxRefundsPerOrder + 1 },
  );
  // The purchase is one of them.
  return events > maxRefundsPerOrder;
}
