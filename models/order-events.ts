import type { Answer, EventType, Origin } from '../domain/events.ts';
import { maxRefundsPerOrder, refusals } from '../domain/refusals.ts';
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

export interface EarlierEvents {
  /** Under the same idempotency key. */
  byKey: EarlierEvent | undefined;
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

/**
 * One indexed read for all that decides whether an event is new (contract, Idempotency). It is the
 * fast path; the unique indexes decide all the same. A repeat is answered only from what a majority
 * of the database's members has: what one has alone may be undone by a change of primary. On a replica
 * set of one member that cost nothing that could be measured (20 rounds of 200 reads, each way).
 */
export async function findEarlierEvents(models: Models, event: Newcomer): Promise<EarlierEvents> {
  const { partnerId, credentialId, integrationId, mode, idempotencyKeyHash } = event;
  const { type, externalOrderId, externalRefundId } = event;
  const ofSource = { partnerId, mode, integrationId };
  const found = await models.orderEvents.collection
    .find<EarlierEvent>(
      {
        $or: [
          { partnerId, credentialId, type, idempotencyKeyHash },
          { ...ofSource, type: 'PURCHASE', externalOrderId },
          ...(type === 'REFUND' ? [{ ...ofSource, type, externalRefundId }] : []),
        ],
      },
      {
        projection: { ...deciding, 'purchase.customerKey': 1 },
        ...{ limit: 3, singleBatch: true, readConcern: { level: 'majority' } },
      },
    )
    .toArray();
  const isOfSource = (one: EarlierEvent) =>
    one.integrationId === integrationId && one.mode === mode;
  const purchase = found.find(
    (one) => one.type === 'PURCHASE' && isOfSource(one) && one.externalOrderId === externalOrderId,
  );
  const refund = found.find(
    (one) => one.type === 'REFUND' && isOfSource(one) && one.externalRefundId === externalRefundId,
  );
  const byKey = found.find(
    (one) =>
      one.type === type &&
      one.credentialId === credentialId &&
      one.idempotencyKeyHash === idempotencyKeyHash,
  );
  return { byKey, byExternal: type === 'PURCHASE' ? purchase : refund, purchase };
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
