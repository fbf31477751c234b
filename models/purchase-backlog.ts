import type { Models } from './schemas/index.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';

/** A recorded purchase whose workflow has not begun. */
export type MarkedPurchase = Pick<
  OrderEventDoc,
  'partnerId' | 'purchaseEventId' | 'workflowId' | 'mode' | 'externalOrderId' | 'rewardId'
>;

const fields = {
  _id: 0,
  partnerId: 1,
  purchaseEventId: 1,
  workflowId: 1,
  mode: 1,
  externalOrderId: 1,
  rewardId: 1,
} as const;

/**
 * Recorded purchases whose workflow has not begun, oldest first. One range of a partial index that
 * holds nothing else.
 * @param before answered before this
 */
export async function findMarked(
  models: Models,
  before: Date,
  limit: number,
): Promise<MarkedPurchase[]> {
  return await models.orderEvents.collection
    .find<MarkedPurchase>(
      { awaitsWorkflowSince: { $lt: before } },
      { projection: fields, sort: { awaitsWorkflowSince: 1 }, limit },
    )
    .toArray();
}

/** How many of some purchases are still marked. */
export async function countMarked(
  models: Models,
  purchases: readonly MarkedPurchase[],
): Promise<number> {
  return await models.orderEvents.collection.countDocuments({
    partnerId: { $in: [...new Set(purchases.map(({ partnerId }) => partnerId))] },
    _id: { $in: purchases.map(({ purchaseEventId }) => purchaseEventId) as never[] },
    awaitsWorkflowSince: { $exists: true },
  });
}
