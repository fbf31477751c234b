import type { Mode } from '../../domain/mode.ts';
import { isIdOf } from '../../platform/ids.ts';
import { externalIdIndexes, type OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { rewardOf } from './create.ts';

/** The reward that a partner requests. */
export interface AskedReward {
  partnerId: string;
  mode: Mode;
  rewardId: string;
}

/** The event of a decided refund. */
export type DecidedRefundEvent = Pick<OrderEventDoc, '_id' | 'externalRefundId' | 'receivedAt'>;

/** A response must not be based on writes that can be rolled back. */
const readConcern = { level: 'majority' } as const;

/**
 * Finds a reward of a partner in one mode. If its workflow has not started, it is made from the event
 * of its purchase, as the workflow will make it, without being stored.
 * @returns null if there is none, and for anything but the id of a reward
 */
export async function findRewardOfPartner(
  models: Models,
  { partnerId, mode, rewardId }: AskedReward,
): Promise<RewardDoc | null> {
  if (!isIdOf('reward', rewardId)) return null;
  const reward = await models.rewards.collection.findOne(
    { partnerId, _id: rewardId },
    { readConcern },
  );
  if (reward) return reward.mode === mode ? reward : null;
  const purchase = await models.orderEvents.collection.findOne(
    { partnerId, rewardId, type: 'PURCHASE' },
    { readConcern },
  );
  return purchase?.mode === mode ? rewardOf(purchase) : null;
}

/** An order that a partner requests. */
export interface AskedOrder {
  partnerId: string;
  mode: Mode;
  integrationId: string;
  externalOrderId: string;
}

/** The reward of an order that an integration reported, like `findRewardOfPartner`; null without one. */
export async function findRewardOfOrder(
  models: Models,
  { partnerId, mode, integrationId, externalOrderId }: AskedOrder,
): Promise<RewardDoc | null> {
  const purchase = await models.orderEvents.collection.findOne(
    { partnerId, mode, integrationId, externalOrderId, type: 'PURCHASE' },
    { readConcern, hint: externalIdIndexes.order },
  );
  if (purchase === null) return null;
  const { rewardId } = purchase;
  const reward = await models.rewards.collection.findOne(
    { partnerId, _id: rewardId },
    { readConcern },
  );
  return reward ?? rewardOf(purchase);
}

/**
 * The events of a reward's decided refunds, at most a hundred. Without refunds, nothing is read.
 */
export async function findDecidedRefunds(
  models: Models,
  { partnerId, moves }: Pick<RewardDoc, 'partnerId' | 'moves'>,
): Promise<DecidedRefundEvent[]> {
  const ids = moves.flatMap(({ refundEventId }) => refundEventId ?? []);
  if (ids.length === 0) return [];
  return await models.orderEvents.collection
    .find<DecidedRefundEvent>(
      { partnerId, _id: { $in: ids } },
      { projection: { externalRefundId: 1, receivedAt: 1 }, readConcern },
    )
    .toArray();
}
