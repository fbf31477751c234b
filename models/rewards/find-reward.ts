import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { found } from '../store/found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findReward(models: Models, rewardId: string): Promise<RewardDoc> {
  return found(await models.rewards.findById(rewardId).lean(), 'reward', rewardId);
}
