import type { PurchaseRef } from '../../domain/purchase.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';

/**
 * How long a purchase may wait for its workflow before the status is a failure: with a worker, it waits
 * for less than a second.
 */
export const workflowWaitLimitMs = 60_000;

/** The pending refunds of some purchases, in the order in which they were received. */
export async function findMarkedRefunds(
  models: Models,
  purchases: readonly PurchaseRef[],
): Promise<OrderEventDoc[]> {
  if (purchases.length === 0) return [];
  const found = await models.orderEvents.collection
    .find({
      partnerId: { $in: [...new Set(purchases.map(({ partnerId }) => partnerId))] },
      purchaseEventId: { $in: purchases.map(({ purchaseEventId }) => purchaseEventId) },
      type: 'REFUND',
      pendingSince: { $exists: true },
    })
    .toArray();
  return found.toSorted((one, other) => (one._id < other._id ? -1 : 1));
}

/** The most purchases whose refunds one read finds. */
const maxBatch = 100;

/** Batches those reads: purchases that ask at the same time share one. */
export function createFindMarkedRefunds(models: Models) {
  const find = createBatchedReads<PurchaseRef, OrderEventDoc[]>({ maxBatch }, async (purchases) => {
    const byPurchase = Map.groupBy(
      await findMarkedRefunds(models, purchases),
      ({ purchaseEventId }) => purchaseEventId,
    );
    return purchases.map(({ purchaseEventId }) => byPurchase.get(purchaseEventId) ?? []);
  });
  return (purchase: PurchaseRef) => find('all', purchase);
}

/** Whether an event has been waiting for its workflow since before a given time. */
export async function isAnyPending({ orderEvents }: Models, since: Date): Promise<boolean> {
  return (await orderEvents.exists({ pendingSince: { $lt: since } })) !== null;
}

/**
 * Clears the pending mark of events, along with what is stored elsewhere by now: the address, in
 * their integration events, and the data key.
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
    _id: { $in: events.map(({ _id }) => _id) },
  };
}
