import type { EventType, Origin } from '../domain/events.ts';
import type { Models } from './schemas/index.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';

export interface EarlierEvents {
  /** Under the same idempotency key. */
  byKey: OrderEventDoc | undefined;
  /** A purchase of the same order or a refund of the same refund id, whichever `type` asks for. */
  byExternal: OrderEventDoc | undefined;
  /** The purchase of this order. */
  purchase: OrderEventDoc | undefined;
}

/**
 * One indexed read for all that decides whether an event is new (contract, Idempotency). It is the
 * fast path; the unique indexes decide all the same. A repeat is answered only from what a majority
 * of the database's members has: what one has alone may be undone by a change of primary. On a replica
 * set of one member that cost nothing that could be measured (20 rounds of 200 reads, each way).
 */
export async function findEarlierEvents(
  models: Models,
  origin: Pick<
    Origin,
    'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash'
  >,
  event: { type: EventType; externalOrderId: string; externalRefundId?: string },
): Promise<EarlierEvents> {
  const { partnerId, credentialId, integrationId, mode, idempotencyKeyHash } = origin;
  const { type, externalOrderId, externalRefundId } = event;
  const ofSource = { partnerId, mode, integrationId };
  const found = await models.orderEvents
    .find({
      $or: [
        { partnerId, credentialId, type, idempotencyKeyHash },
        { ...ofSource, type: 'PURCHASE' as const, externalOrderId },
        ...(type === 'REFUND' && externalRefundId !== undefined
          ? [{ ...ofSource, type: 'REFUND' as const, externalRefundId }]
          : []),
      ],
    })
    .limit(3)
    .readConcern('majority')
    .lean();
  const purchase = found.find(
    (doc) =>
      doc.type === 'PURCHASE' &&
      doc.externalOrderId === externalOrderId &&
      doc.integrationId === integrationId &&
      doc.mode === mode,
  );
  return {
    byKey: found.find(
      (doc) =>
        doc.type === type &&
        doc.credentialId === credentialId &&
        doc.idempotencyKeyHash === idempotencyKeyHash,
    ),
    byExternal:
      type === 'PURCHASE'
        ? purchase
        : found.find(
            (doc) =>
              doc.type === 'REFUND' &&
              doc.externalRefundId === externalRefundId &&
              doc.integrationId === integrationId &&
              doc.mode === mode,
          ),
    purchase,
  };
}
