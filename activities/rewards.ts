import type { RewardSnapshot } from '../domain/events.ts';
import type { RewardMove } from '../domain/reward-states.ts';
import { moveReward } from '../models/rewards.ts';
import type { ActivityDeps } from './deps.ts';

export function rewardActivities({ models }: ActivityDeps) {
  return {
    /**
     * Makes one move of the state table that has no other effect.
     * @param at ISO 8601, workflow time, so that a repeat writes the same
     */
    async moveReward(
      reward: RewardSnapshot,
      move: RewardMove,
      at: string,
    ): Promise<RewardSnapshot> {
      return await moveReward(models, reward, move, at);
    },
  };
}
