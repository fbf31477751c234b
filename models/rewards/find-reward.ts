import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { found } from '../store/found.ts';
import { rewardOf } from './create.ts';

/**
 * A reward of whichever partner. One whose workflow has not begun is made from the event of its purchase, as the
 * workflow will make it; nothing is written here, and whoever moves it calls `findOrCreateReward` first.
 * @throws ServiceError NOT_FOUND
 */
export async function findReward(models: Models, rewardId: string): Promise<RewardDoc> {
  const reward = await models.rewards.findById(rewardId).lean();
  if (reward) return reward;
  const purchase = await models.orderEvents
    .findOne({ rewardId, type: 'PURCHASE' })
    .sort({ _id: -1 })
    .lean<OrderEventDoc>();
  return rewardOf(found(purchase, 'reward', rewardId));
}
