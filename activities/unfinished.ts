import type { RewardSnapshot } from '../domain/events.ts';
import { findMarkedRefunds } from '../models/marked-events.ts';
import { toSnapshot } from '../models/rewards.ts';
import type { CarryOutRefund } from './carry-out-refund.ts';
import type { ActivityDeps } from './deps.ts';
import type { Finish } from './finish.ts';

/** The activity that carries on where an earlier run of a workflow was lost. It is safe to repeat. */
export function unfinishedActivities(
  { models }: Pick<ActivityDeps, 'models'>,
  finish: Finish,
  carryOutRefund: CarryOutRefund,
) {
  return {
    /**
     * Finishes what an earlier run recorded and did not live to finish: the money of the newest move,
     * then the refunds that were answered, in the order in which they came.
     * @returns the reward after it
     */
    async finishBegun({ partnerId, rewardId, purchaseEventId }: RewardSnapshot) {
      const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
      let reward: RewardSnapshot = toSnapshot(stored);
      if (stored.unfinished) await finish(reward, stored.unfinished);
      for (const refund of await findMarkedRefunds(models, [{ partnerId, purchaseEventId }])) {
        reward = await carryOutRefund(refund, reward);
      }
      return reward;
    },
  };
}
