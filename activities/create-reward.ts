import type { PurchaseRef } from '../domain/purchase.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { integrationEventOf } from '../models/events/integration-events.ts';
import { customerOf } from '../models/events/order-events.ts';
import { clearPending, findMarkedRefunds } from '../models/events/pending-events.ts';
import { rewardOf } from '../models/rewards/create.ts';
import { toSnapshot } from '../models/rewards/move.ts';
import type { DataKeyDoc } from '../models/schemas/customers.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { keyDocOf } from '../models/store/data-keys.ts';
import { insertMissing } from '../models/store/insert-once.ts';
import type { EventLoader } from '../models/store/loaders.ts';
import { type BatchJob, createBatcher } from '../platform/batcher.ts';
import type { ActivityDeps } from './deps.ts';

/** Creates rewards; concurrent ones together, with a handful of writes for all of them. */
export function createRewardCreator(
  { models, batchOptions }: Pick<ActivityDeps, 'models' | 'batchOptions'>,
  recentEvents: Pick<EventLoader, 'remember'>,
) {
  const createTogether = createBatcher<PurchaseRef, RewardSnapshot>(batchOptions, (_all, batch) =>
    createAll(batch),
  );

  /**
   * Creates the reward of a recorded purchase and the integration event of its request, and stores
   * its data key with the customer's others; then clears the event's pending mark, since its
   * workflow has begun. A repeat changes nothing.
   * @returns the reward as stored
   */
  return async ({ partnerId, purchaseEventId }: PurchaseRef): Promise<RewardSnapshot> =>
    await createTogether('all', { partnerId, purchaseEventId });

  async function createAll(batch: readonly BatchJob<PurchaseRef, RewardSnapshot>[]): Promise<void> {
    const partnerIds = [...new Set(batch.map(({ partnerId }) => partnerId))];
    const eventIds = batch.map(({ purchaseEventId }) => purchaseEventId);
    const events = await models.orderEvents.collection
      .find({ partnerId: { $in: partnerIds }, _id: { $in: eventIds } })
      .toArray();
    for (const event of events) recentEvents.remember(event);
    const made = events.map(rewardOf);
    const isAllNew = await insertMissing(models.rewards, made);
    const marked = events.filter(({ pendingSince }) => pendingSince !== undefined);
    await Promise.all([
      insertMissing(
        models.integrationEvents,
        marked.map((event) => integrationEventOf(event, event.address ?? null)),
      ),
      insertMissing(models.dataKeys, marked.flatMap(keysOf)),
    ]);
    await clearPending(models, marked);
    const rewards = isAllNew
      ? made
      : await models.rewards.collection
          .find({
            partnerId: { $in: partnerIds },
            purchaseEventId: { $in: eventIds },
          })
          .toArray();
    const rewardBy = new Map(rewards.map((reward) => [reward.purchaseEventId, reward]));
    const refunded = isAllNew ? new Set<string>() : await markedRefundsOf(rewards);
    for (const { purchaseEventId, resolve, reject } of batch) {
      const reward = rewardBy.get(purchaseEventId);
      if (!reward) reject(new Error(`there is no purchase ${purchaseEventId}`));
      else if (!refunded.has(purchaseEventId)) resolve(toSnapshot(reward));
      else resolve({ ...toSnapshot(reward), isPending: true });
    }
  }

  /** The purchases with a recorded refund that is still pending. */
  async function markedRefundsOf(rewards: readonly RewardDoc[]): Promise<Set<string>> {
    const refunds = await findMarkedRefunds(models, rewards);
    return new Set(refunds.map(({ purchaseEventId }) => purchaseEventId));
  }
}

/** The data key in a pending purchase; none if its customer was erased meanwhile. */
function keysOf(event: OrderEventDoc): DataKeyDoc[] {
  const { dataKey, receivedAt } = event;
  return dataKey === undefined ? [] : [keyDocOf(dataKey, customerOf(event), receivedAt)];
}
