import { type PurchaseRef, type RewardSnapshot, walletIdOf, walletOf } from '../domain/events.ts';
import { initialState } from '../domain/reward-states.ts';
import { keyDocOf } from '../models/data-keys.ts';
import type { Events } from '../models/find-together.ts';
import { insertMissing } from '../models/insert-once.ts';
import { integrationEventOf } from '../models/integration-events.ts';
import { findMarkedRefunds, unmark } from '../models/marked-events.ts';
import { customerOf } from '../models/order-events.ts';
import { toSnapshot } from '../models/rewards.ts';
import type { DataKeyDoc } from '../models/schemas/data-key.ts';
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { createBatches, type Job } from '../platform/batches.ts';
import { batchTerms } from './batch-terms.ts';
import type { ActivityDeps } from './deps.ts';

/** The activity that a purchase's workflow begins with. It is safe to repeat. */
export function purchaseActivities(
  { models }: Pick<ActivityDeps, 'models'>,
  recentEvents: Pick<Events, 'remember'>,
) {
  const beginTogether = createBatches<PurchaseRef, RewardSnapshot>(batchTerms, (_all, batch) =>
    begin(batch),
  );

  return {
    /**
     * Creates the reward of a recorded purchase and the integration event of its request, and puts its
     * data key with the customer's others; then takes the event's mark away: from here on its workflow
     * has begun. Begun before, it changes nothing.
     * @returns the reward as it stands
     */
    async beginPurchase({ partnerId, purchaseEventId }: PurchaseRef): Promise<RewardSnapshot> {
      return await beginTogether('all', { partnerId, purchaseEventId });
    },
  };

  /** Purchases that begin at the same time are begun together: a handful of writes for all of them. */
  async function begin(batch: readonly Job<PurchaseRef, RewardSnapshot>[]): Promise<void> {
    const partnerIds = [...new Set(batch.map(({ partnerId }) => partnerId))];
    const eventIds = batch.map(({ purchaseEventId }) => purchaseEventId);
    const events = await models.orderEvents.collection
      .find<OrderEventDoc>({ partnerId: { $in: partnerIds }, _id: { $in: eventIds as never[] } })
      .toArray();
    for (const event of events) recentEvents.remember(event);
    const made = events.map(rewardOf);
    const isAllNew = await insertMissing(models.rewards, made);
    const marked = events.filter(({ awaitsWorkflowSince }) => awaitsWorkflowSince !== undefined);
    await Promise.all([
      insertMissing(
        models.integrationEvents,
        marked.map((event) => integrationEventOf(event, event.address ?? null)),
      ),
      insertMissing(models.dataKeys, marked.flatMap(keysOf)),
    ]);
    await unmark(models, marked);
    const rewards = isAllNew
      ? made
      : await models.rewards.collection
          .find<RewardDoc>({
            partnerId: { $in: partnerIds },
            purchaseEventId: { $in: eventIds },
          })
          .toArray();
    const rewardBy = new Map(rewards.map((reward) => [reward.purchaseEventId, reward]));
    const unfinished = isAllNew ? new Set<string>() : await unfinishedOf(rewards);
    for (const { purchaseEventId, resolve, reject } of batch) {
      const reward = rewardBy.get(purchaseEventId);
      if (!reward) reject(new Error(`there is no purchase ${purchaseEventId}`));
      else if (!unfinished.has(purchaseEventId)) resolve(toSnapshot(reward));
      else resolve({ ...toSnapshot(reward), isUnfinished: true });
    }
  }

  /** The purchases for whose rewards an earlier run began something that is not done. */
  async function unfinishedOf(rewards: readonly RewardDoc[]): Promise<Set<string>> {
    const moving = rewards.filter(({ unfinished }) => unfinished !== undefined);
    const refunds = await findMarkedRefunds(models, rewards);
    return new Set([...moving, ...refunds].map(({ purchaseEventId }) => purchaseEventId));
  }
}

/** The data key that a marked purchase carries; none where its customer was erased meanwhile. */
function keysOf(event: OrderEventDoc): DataKeyDoc[] {
  const { dataKey, receivedAt } = event;
  return dataKey === undefined ? [] : [keyDocOf(dataKey, customerOf(event), receivedAt)];
}

/** The reward of a purchase, made from its event alone. */
function rewardOf(event: OrderEventDoc): RewardDoc {
  const facts = event.purchase;
  if (facts === null) throw new Error(`${event._id} is no purchase`);
  return {
    _id: event.rewardId,
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    mode: event.mode,
    purchaseEventId: event._id,
    externalOrderId: event.externalOrderId,
    workflowId: event.workflowId,
    customerKey: facts.customerKey,
    claimTokenHash: facts.claimTokenHash,
    currency: facts.currency,
    points: facts.arithmetic.points,
    liabilityCents: facts.liabilityCents,
    walletId: walletIdOf(walletOf(event)),
    arithmetic: facts.arithmetic,
    ...initialState,
    claimExpiresAt: facts.claimExpiresAt,
    review: null,
    cancellation: null,
    version: 0,
    moves: [],
    createdAt: event.receivedAt,
    updatedAt: event.receivedAt,
  };
}
