import { type Answer, type Earlier, refusals, withClaimUrl } from '../../domain/answers.ts';
import type { EventType, Origin, SealedPurchase } from '../../domain/purchase.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { externalIdIndexes, type OrderEventDoc, type PurchaseFacts } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { openEvent } from '../store/sealed-events.ts';
import { settled } from '../store/settled.ts';

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
  sealed: 1,
} as const;

export type EarlierEvent = Pick<OrderEventDoc, '_id' | keyof typeof deciding> & {
  purchase:
    | (Pick<PurchaseFacts, 'customerId' | 'delivery'> & {
        arithmetic: Pick<PurchaseFacts['arithmetic'], 'ruleId'>;
      })
    | null;
};

/** What earlier events mean for a new one (docs/integrate/idempotency.md, Idempotency 2, 4 and 6). */
export interface EarlierEvents extends Earlier {
  /** The purchase of this order. */
  purchase: EarlierEvent | undefined;
}

/** The fields of a new event that decide whether it is new. */
export type NewEvent = Pick<
  Origin,
  'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash' | 'payloadHash'
> & { type: EventType; externalOrderId: string; externalRefundId?: string };

/** By key, by order and, for a refund, by refund id. */
const maxFound = 3;

/**
 * Finds earlier events with the same key, order or refund id, in one indexed read
 * (docs/integrate/idempotency.md, Idempotency). It is the fast path; the unique indexes decide in any case. The
 * read concern is majority, since a repeat must not be answered from a write that a change of
 * primary may undo. On a replica set of one member that costs nothing measurable (20 rounds of 200
 * reads each way).
 */
export async function findEarlierEvents(
  { models, sealer }: { models: Models; sealer: Sealer },
  { partnerId, credentialId, integrationId, mode, type, ...event }: NewEvent,
): Promise<EarlierEvents> {
  const { externalOrderId, externalRefundId = null, idempotencyKeyHash, payloadHash } = event;
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
        projection: {
          ...deciding,
          'purchase.customerId': 1,
          'purchase.delivery': 1,
          'purchase.arithmetic.ruleId': 1,
        },
        limit: maxFound,
        batchSize: maxFound,
        singleBatch: true,
        ...settled,
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
  return {
    byKey: byKey && {
      isSame: byKey.payloadHash === payloadHash,
      answer: storedAnswer(sealer, byKey),
    },
    taken:
      type === 'PURCHASE'
        ? purchase && refusals.duplicateOrder(purchase)
        : refund && refusals.duplicateRefund(refund),
    purchase,
  };
}

/** The stored response. A claim link that was part of it is sealed, and left out once the customer is erased. */
function storedAnswer(sealer: Sealer, event: EarlierEvent): Answer {
  const opened = event.purchase?.delivery === 'PARTNER' ? openEvent(sealer, event) : null;
  if (opened === null) return answeredBy(event);
  const { claimUrl }: Pick<SealedPurchase, 'claimUrl'> = JSON.parse(opened);
  const { answer } = event;
  return answeredBy({ ...event, answer: claimUrl ? withClaimUrl(answer, claimUrl) : answer });
}

/** The purchase of an order of an integration; null if it was not reported. */
export async function findPurchaseOfOrder(
  { orderEvents }: Models,
  ofOrder: Pick<OrderEventDoc, 'partnerId' | 'mode' | 'integrationId' | 'externalOrderId'>,
): Promise<OrderEventDoc | null> {
  return await orderEvents.collection.findOne<OrderEventDoc>(
    { ...ofOrder, type: 'PURCHASE' },
    { hint: externalIdIndexes.order, ...settled },
  );
}

/** The whole event of an order. @throws Error if it does not exist */
export async function readOrderEvent(
  { orderEvents }: Models,
  { partnerId, _id }: Pick<OrderEventDoc, 'partnerId' | '_id'>,
): Promise<OrderEventDoc> {
  const event = await orderEvents.collection.findOne<OrderEventDoc>(
    { partnerId, _id: _id as never },
    settled,
  );
  if (event === null) throw new Error(`there is no event ${_id}`);
  return event;
}

export function answeredBy({
  _id,
  externalOrderId,
  answer,
  requestId,
}: Pick<OrderEventDoc, '_id' | 'externalOrderId' | 'answer' | 'requestId'>): Answer {
  return { kind: 'ANSWERED', eventId: _id, externalOrderId, body: answer, requestId };
}
