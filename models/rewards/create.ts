import { walletIdOf, walletOf } from '../../domain/postings.ts';
import type { PurchaseRef } from '../../domain/purchase.ts';
import { initialState } from '../../domain/reward.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { insertMissing } from '../store/insert-once.ts';
import type { BatchedRewards } from './batched-rewards.ts';

/** The reward of a purchase, made from its event alone: always the same. */
export function rewardOf(event: OrderEventDoc): RewardDoc {
  const facts = event.purchase;
  if (facts === null) throw new Error(`${event._id} is not a purchase`);
  return {
    _id: event.rewardId,
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    mode: event.mode,
    purchaseEventId: event._id,
    externalOrderId: event.externalOrderId,
    workflowId: event.workflowId,
    customerId: facts.customerId,
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
    carriedOut: 0,
    toCount: true,
    createdAt: event.receivedAt,
    updatedAt: event.receivedAt,
  };
}

const findReward = (models: Models, { partnerId, purchaseEventId }: PurchaseRef) =>
  models.rewards.collection.findOne(
    { partnerId, purchaseEventId },
    { readConcern: { level: 'majority' } },
  );

/**
 * The reward of a recorded purchase, created if its workflow has not begun.
 * @param find finds it with read concern majority
 * @throws Error if there is no such purchase
 */
export async function findOrCreateReward(
  models: Models,
  { partnerId, purchaseEventId }: PurchaseRef,
  find: BatchedRewards['find'] = (purchase) => findReward(models, purchase),
): Promise<RewardDoc> {
  const found = await find({ partnerId, purchaseEventId });
  if (found) return found;
  const event = await models.orderEvents.collection.findOne({
    partnerId,
    _id: purchaseEventId,
  });
  if (!event) throw new Error(`there is no purchase ${purchaseEventId}`);
  const made = rewardOf(event);
  if (await insertMissing(models.rewards, [made])) return made;
  const first = await models.rewards.collection.findOne({ partnerId, purchaseEventId });
  if (!first)
    throw new Error(
      `a unique index refused ${made._id}, but no other reward of its purchase exists`,
    );
  return first;
}
