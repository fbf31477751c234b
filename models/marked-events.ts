import type { PurchaseRef } from '../domain/events.ts';
import type { Models } from './schemas/index.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';

/** A recorded event that its workflow owes something: a purchase that has not begun, a refund not settled. */
export type MarkedEvent = Pick<
  OrderEventDoc,
  '_id' | 'partnerId' | 'purchaseEventId' | 'workflowId' | 'mode' | 'externalOrderId' | 'rewardId'
>;

const fields = {
  partnerId: 1,
  purchaseEventId: 1,
  workflowId: 1,
  mode: 1,
  externalOrderId: 1,
  rewardId: 1,
} as const;

/**
 * Recorded events that their workflow owes something, oldest first. One range of a partial index that
 * holds nothing else.
 * @param before answered before this
 */
export async function findMarked(
  models: Models,
  before: Date,
  limit: number,
): Promise<MarkedEvent[]> {
  return await models.orderEvents.collection
    .find<MarkedEvent>(
      { awaitsWorkflowSince: { $lt: before } },
      { projection: fields, sort: { awaitsWorkflowSince: 1 }, limit },
    )
    .toArray();
}

/** The refunds of some purchases that were recorded and are not settled, in the order in which they came. */
export async function findMarkedRefunds(
  models: Models,
  purchases: readonly PurchaseRef[],
): Promise<OrderEventDoc[]> {
  if (purchases.length === 0) return [];
  return await models.orderEvents.collection
    .find<OrderEventDoc>({
      partnerId: { $in: [...new Set(purchases.map(({ partnerId }) => partnerId))] },
      purchaseEventId: { $in: purchases.map(({ purchaseEventId }) => purchaseEventId) },
      type: 'REFUND',
      awaitsWorkflowSince: { $exists: true },
    })
    .sort({ _id: 1 })
    .toArray();
}

/**
 * Takes the mark of events away, and with it what is kept elsewhere by now: the address, in their
 * integration events, and the data key.
 */
export async function unmark(
  models: Models,
  events: readonly Pick<OrderEventDoc, '_id' | 'partnerId'>[],
): Promise<void> {
  if (events.length === 0) return;
  await models.orderEvents.collection.updateMany(named(events), {
    $unset: { awaitsWorkflowSince: '', address: '', dataKey: '' },
  });
}

function named(events: readonly Pick<OrderEventDoc, '_id' | 'partnerId'>[]) {
  return {
    partnerId: { $in: [...new Set(events.map(({ partnerId }) => partnerId))] },
    _id: { $in: events.map(({ _id }) => _id) as never[] },
  };
}
