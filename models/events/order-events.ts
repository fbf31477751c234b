import { LRUCache } from 'lru-cache';
import { type Answer, type Refused, refusals, withClaimUrl } from '../../domain/answers.ts';
import type { EventType, Origin, SealedPurchase } from '../../domain/purchase.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { OrderEventDoc, PurchaseFacts } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { type OfCustomer, openEvent } from '../store/data-keys.ts';

/** The fields of an earlier event that decide about a new one. */
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
  purchase: Pick<PurchaseFacts, 'customerId' | 'delivery'> | null;
};

/** The fields of an earlier event from which a repeat is answered. */
export type Repeatable = Pick<
  EarlierEvent,
  | '_id'
  | 'partnerId'
  | 'credentialId'
  | 'type'
  | 'idempotencyKeyHash'
  | 'payloadHash'
  | 'externalOrderId'
  | 'requestId'
  | 'answer'
  | 'purchase'
>;

/** An event whose response is known. */
export type Answerable = Repeatable & { answer: string };

export interface EarlierEvents {
  /**
   * The event with the same idempotency key, which a repeat is answered from, whatever else is
   * known.
   */
  byKey: Repeatable | undefined;
  /** The purchase of the same order, or the refund with the same refund id, depending on `type`. */
  byExternal: EarlierEvent | undefined;
  /** The purchase of this order. */
  purchase: EarlierEvent | undefined;
}

/** The fields of a new event that decide whether it is new. */
export type NewEvent = Pick<
  Origin,
  'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash' | 'payloadHash'
> & { type: EventType; externalOrderId: string; externalRefundId?: string };

/** What identifies repeats of an event. */
type Key = Pick<NewEvent, 'credentialId' | 'type' | 'idempotencyKeyHash'>;

/** How many events of about a kilobyte a process caches. */
const usualMaxRemembered = 10_000;
/** The most new events for which one read finds earlier ones. */
const maxAskedAtOnce = 100;
/** By key, by order and, for a refund, by refund id. */
const maxFoundOfOne = 3;

/**
 * Finds earlier events with the same key, order or refund id, in one indexed read
 * (docs/contract.md, Idempotency). It is the fast path; the unique indexes decide in any case. The
 * read concern is majority, since a repeat must not be answered from a write that a change of
 * primary may undo. On a replica set of one member that costs nothing measurable (20 rounds of 200
 * reads each way).
 */
export async function findEarlierEvents(models: Models, event: NewEvent): Promise<EarlierEvents> {
  const [found] = await findEarlierOfAll(models, [event]);
  return found as EarlierEvents;
}

export type EarlierEventsFinder = ReturnType<typeof createEarlierEvents>;

/**
 * Finds earlier events for a busy process: concurrent requests of one credential and type share a
 * read, and a key that was just answered costs none. Events never change, so that those with a
 * majority can be cached.
 * @param maxRemembered how many events are cached; the memory is allocated up front
 */
export function createEarlierEvents(models: Models, maxRemembered = usualMaxRemembered) {
  const answered = new LRUCache<string, Answerable>({ max: maxRemembered });
  const keyOf = (event: Key) => `${event.credentialId}/${event.type}/${event.idempotencyKeyHash}`;
  const read = createBatchedReads<NewEvent, EarlierEvents>({ maxBatch: maxAskedAtOnce }, (events) =>
    findEarlierOfAll(models, events),
  );
  /** @param event acknowledged by a majority; one whose response has a claim link is not cached */
  const remember = (event: Answerable): void => {
    if (hasClaimUrl(event)) return;
    const { _id, partnerId, credentialId, type, idempotencyKeyHash, payloadHash } = event;
    const { externalOrderId, requestId, answer, purchase } = event;
    answered.set(keyOf(event), {
      _id,
      partnerId,
      credentialId,
      type,
      idempotencyKeyHash,
      payloadHash,
      externalOrderId,
      requestId,
      answer,
      purchase,
    });
  };
  return {
    remember,
    /** The cached event under a key; costs no read. */
    remembered: (event: Key): Answerable | undefined => answered.get(keyOf(event)),
    async find(event: NewEvent): Promise<EarlierEvents> {
      const byKey = answered.get(keyOf(event));
      if (byKey) return { byKey, byExternal: undefined, purchase: undefined };
      const earlier = await read(`${event.credentialId}/${event.type}`, event);
      if (earlier.byKey && isAnswered(earlier.byKey)) remember(earlier.byKey);
      return earlier;
    },
  };
}

/**
 * Whether an event's response is stored. A refund is recorded before it is decided: until its
 * response is written, it follows from the reward.
 */
export const isAnswered = <Event extends { answer: string | null }>(
  event: Event,
): event is Event & { answer: string } => event.answer !== null;

function keyedBy<Key>(events: readonly EarlierEvent[], keyOf: (event: EarlierEvent) => Key) {
  return new Map(events.map((event) => [keyOf(event), event]));
}

/** @param events of one credential and type */
async function findEarlierOfAll(
  models: Models,
  events: readonly NewEvent[],
): Promise<EarlierEvents[]> {
  const [first] = events;
  if (first === undefined) return [];
  const { partnerId, credentialId, integrationId, mode, type } = first;
  const ofSource = { partnerId, mode, integrationId };
  const orders = events.map(({ externalOrderId }) => externalOrderId);
  const refunds = events.map(({ externalRefundId }) => externalRefundId ?? null);
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
        projection: { ...deciding, 'purchase.customerId': 1, 'purchase.delivery': 1 },
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
 * The refusal of a new event, or the event that it repeats; undefined if it is new
 * (docs/contract.md, Idempotency 2, 4 and 6).
 */
export function foundInRecord(
  { byKey, byExternal }: EarlierEvents,
  { type, payloadHash }: Pick<NewEvent, 'type' | 'payloadHash'>,
): Refused | { kind: 'REPEATED'; event: Repeatable } | undefined {
  if (byKey) {
    return byKey.payloadHash === payloadHash
      ? { kind: 'REPEATED', event: byKey }
      : refusals.conflict();
  }
  if (!byExternal) return undefined;
  return type === 'PURCHASE'
    ? refusals.duplicateOrder(byExternal)
    : refusals.duplicateRefund(byExternal);
}

/**
 * The response to a purchase from an earlier event; undefined if it is new. Reads more only if a
 * claim link was part of the response: that is sealed, and omitted once the customer is erased.
 */
export async function answerFromRecord(
  deps: { models: Models; sealer: Sealer },
  earlier: EarlierEvents,
  newEvent: NewEvent,
): Promise<Answer | undefined> {
  const found = foundInRecord(earlier, newEvent);
  if (found?.kind !== 'REPEATED') return found;
  const { event } = found;
  if (!isAnswered(event)) throw new Error(`${event._id} has no response`);
  if (!hasClaimUrl(event)) return answeredBy(event);
  const { partnerId, _id, answer } = event;
  const stored = await deps.models.orderEvents.findOne({ partnerId, _id }).orFail();
  const opened = await openEvent(deps, stored);
  const { claimUrl }: Pick<SealedPurchase, 'claimUrl'> =
    opened === null ? { claimUrl: null } : JSON.parse(opened);
  return answeredBy({ ...event, answer: claimUrl ? withClaimUrl(answer, claimUrl) : answer });
}

const hasClaimUrl = ({ purchase }: Pick<Repeatable, 'purchase'>): boolean =>
  purchase?.delivery === 'PARTNER';

/** The customer of a purchase. */
export function customerOf({
  _id,
  partnerId,
  purchase,
}: Pick<EarlierEvent, '_id' | 'partnerId' | 'purchase'>): OfCustomer {
  if (purchase === null) throw new Error(`${_id} is not a purchase`);
  return { partnerId, customerId: purchase.customerId };
}

export function answeredBy({
  _id,
  answer,
  requestId,
}: Pick<Answerable, '_id' | 'answer' | 'requestId'>): Answer {
  return { kind: 'ANSWERED', eventId: _id, body: answer, requestId };
}

/** The number of an order's newest refund; 0 if it has none. Reads one index key. */
export async function newestRefundSeq(
  models: Models,
  { partnerId, purchaseEventId }: Pick<OrderEventDoc, 'partnerId' | 'purchaseEventId'>,
): Promise<number> {
  const newest = await models.orderEvents.collection.findOne<Pick<OrderEventDoc, 'refundSeq'>>(
    { partnerId, purchaseEventId, refundSeq: { $gt: 0 } },
    { projection: { refundSeq: 1 }, sort: { refundSeq: -1 } },
  );
  return newest?.refundSeq ?? 0;
}
