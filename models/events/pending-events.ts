import type { PurchaseRef } from '../../domain/purchase.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';

/** The refunds of some purchases that were recorded and are not settled, in the order in which they came. */
export async function findMarkedRefunds(
  models: Models,
  purchases: readonly PurchaseRef[],
): Promise<OrderEventDoc[]> {
  if (purchases.length === 0) return [];
  const found = await models.orderEvents.collection
    .find<OrderEventDoc>({
      partnerId: { $in: [...new Set(purchases.map(({ partnerId }) => partnerId))] },
      purchaseEventId: { $in: purchases.map(({ purchaseEventId }) => purchaseEventId) },
      type: 'REFUND',
      pendingSince: { $exists: true },
    })
    .toArray();
  return found.toSorted((one, other) => (one._id < other._id ? -1 : 1));
}

/** Whether an event waits for its workflow since before then. */
export async function isAnyPending({ orderEvents }: Models, since: Date): Promise<boolean> {
  return (await orderEvents.exists({ pendingSince: { $lt: since } })) !== null;
}

/**
 * Takes the mark of events away, and with it what is kept elsewhere by now: the address, in their
 * integration events, and the data key.
 */
export async function clearPending(
  models: Models,
  events: readonly Pick<OrderEventDoc, '_id' | 'partnerId'>[],
): Promise<void> {
  if (events.length === 0) return;
  await models.orderEvents.collection.updateMany(named(events), {
    $unset: { pendingSince: '', address: '', dataKey: '' },
  });
}

function named(events: readonly Pick<OrderEventDoc, '_id' | 'partnerId'>[]) {
  return {
    partnerId: { $in: [...new Set(events.map(({ partnerId }) => partnerId))] },
    _id: { $in: events.map(({ _id }) => _id) as never[] },
  };
}
