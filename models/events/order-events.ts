import { LRUCache } from 'lru-cache';
import { type Answer, type Refused, withClaimUrl } from '../../domain/answers.ts';
import type { SealedPurchase } from '../../domain/purchase.ts';
import { refusals } from '../../domain/refusals.ts';
import type { EventType, Origin } from '../../domain/request.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc, PurchaseFacts } from '../schemas/order-event.ts';
import { type OfCustomer, openEvent } from '../store/data-keys.ts';

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
  purchase: Pick<PurchaseFacts, 'customerId' | 'delivery'> | null;
};

/** What of it answers a repeat. */
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

/** One whose answer is known. */
export type Answerable = Repeatable & { answer: string };

export interface EarlierEvents {
  /** Under the same idempotency key: what answers a repeat, whatever else is known. */
  byKey: Repeatable | undefined;
  /** A purchase of the same order or a refund of the same refund id, whichever `type` asks for. */
  byExternal: EarlierEvent | undefined;
  /** The purchase of this order. */
  purchase: EarlierEvent | undefined;
}

/** An event that asks whether it is new. */
export type NewEvent = Pick<
  Origin,
  'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash' | 'payloadHash'
> & { type: EventType; externalOrderId: string; externalRefundId?: string };

/** What a repeat repeats. */
type Key = Pick<NewEvent, 'credentialId' | 'type' | 'idempotencyKeyHash'>;

/** How many events a process remembers, of a kilobyte or so each. */
const maxRemembered = 10_000;
/** The most events whose earlier ones are looked for in one read. */
const maxAskedAtOnce = 100;
/** Its key, its order and, of a refund, its id. */
const maxFoundOfOne = 3;

/**
 * One indexed read for all that decides whether an event is new (docs/contract.md, Idempotency). It is the
 * fast path; the unique indexes decide all the same. A repeat is answered only from what a majority
 * of the database's members has: what one has alone may be undone by a change of primary. On a replica
 * set of one member that cost nothing that could be measured (20 rounds of 200 reads, each way).
 */
export async function findEarlierEvents(models: Models, event: NewEvent): Promise<EarlierEvents> {
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
  const answered = new LRUCache<string, Answerable>({ max: maxRemembered });
  const keyOf = (event: Key) => `${event.credentialId}/${event.type}/${event.idempotencyKeyHash}`;
  const read = createBatchedReads<NewEvent, EarlierEvents>({ maxBatch: maxAskedAtOnce }, (events) =>
    findEarlierOfAll(models, events),
  );
  /** @param event is written and acknowledged by a majority; one with a claim link is not kept in memory */
  const remember = (event: Answerable): void => {
    if (hasClaimUrl(event)) return;
    const { _id, partnerId, credentialId, type, idempotencyKeyHash, payloadHash } = event;
    const { externalOrderId, requestId, answer, purchase } = event;
    answered.set(keyOf(event), {
      ...{ _id, partnerId, credentialId, type, idempotencyKeyHash, payloadHash },
      ...{ externalOrderId, requestId, answer, purchase },
    });
  };
  return {
    remember,
    /** What this process knows to stand under a key; costs no read. */
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

/** A refund is recorded before it is decided: until its answer is written, its reward says it. */
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
 * What the record says to an event whose key or external id it knows (docs/contract.md, Idempotency 2,
 * 4 and 6): a refusal, or the event that it repeats; undefined to a new one.
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
 * The same to a purchase, which is recorded with its answer. Reads more only where a claim link was part of
 * the answer: that is sealed, and gone once the customer is erased.
 */
export async function answerFromRecord(
  deps: { models: Models; sealer: Sealer },
  earlier: EarlierEvents,
  asked: NewEvent,
): Promise<Answer | undefined> {
  const found = foundInRecord(earlier, asked);
  if (found?.kind !== 'REPEATED') return found;
  const { event } = found;
  if (!isAnswered(event)) throw new Error(`${event._id} has no answer`);
  if (!hasClaimUrl(event)) return answeredBy(event);
  const { partnerId, _id, answer } = event;
  const stored = await deps.models.orderEvents.findOne({ partnerId, _id }).lean().orFail();
  const opened = await openEvent(deps, stored);
  const { claimUrl }: Pick<SealedPurchase, 'claimUrl'> =
    opened === null ? { claimUrl: null } : JSON.parse(opened);
  return answeredBy({ ...event, answer: claimUrl ? withClaimUrl(answer, claimUrl) : answer });
}

const hasClaimUrl = ({ purchase }: Pick<Repeatable, 'purchase'>): boolean =>
  purchase?.delivery === 'PARTNER';

/** Whose purchase it is. */
export function customerOf({
  _id,
  partnerId,
  purchase,
}: Pick<EarlierEvent, '_id' | 'partnerId' | 'purchase'>): OfCustomer {
  if (purchase === null) throw new Error(`${_id} is not a purchase`);
  return { partnerId, customerId: purchase.customerId };
}

/** The answer of an event. */
export function answeredBy({
  _id,
  answer,
  requestId,
}: Pick<Answerable, '_id' | 'answer' | 'requestId'>): Answer {
  return { kind: 'ANSWERED', eventId: _id, body: answer, requestId };
}

/** The number of the newest refund of an order; 0 where it has none. One key of an index. */
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
