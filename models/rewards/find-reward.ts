import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { requireFound } from '../store/require-found.ts';
import { rewardOf } from './create.ts';

/**
 * Finds a reward of any partner. If its workflow has not started, it is made from the event of its
 * purchase, as the workflow will make it, without being stored: whoever moves it calls
 * `findOrCreateReward` first.
 * @throws ServiceError NOT_FOUND
 */
export async function findReward(models: Models, rewardId: string): Promise<RewardDoc> {
  const reward = await models.rewards.findById(rewardId);
  if (reward) return reward;
  const purchase = await models.orderEvents
    .findOne({ rewardId, type: 'PURCHASE' })
    .sort({ _id: -1 });
  return rewardOf(requireFound(purchase, 'reward', rewardId));
}
