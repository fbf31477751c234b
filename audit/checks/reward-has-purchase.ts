import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';

/** Every reward was earned by one purchase event, which names it. */
export const rewardHasPurchase: DocCheck<RewardDoc> = {
  name: 'rewards: one purchase each',
  async problemsOf({ models }, partnerId, rewards) {
    const ids = rewards.map(({ purchaseEventId }) => purchaseEventId);
    const events = await models.orderEvents.find(
      { partnerId, purchaseEventId: { $in: ids }, type: 'PURCHASE' },
      { rewardId: 1 },
    );
    const rewardIdOf = new Map(events.map(({ _id, rewardId }) => [_id, rewardId]));
    return rewards.flatMap((doc) => {
      const named = rewardIdOf.get(doc.purchaseEventId);
      if (named === doc._id) return [];
      const problem = named ? `earned ${named}` : 'does not exist';
      const text = `reward ${doc._id}, partner ${partnerId}: its purchase ${doc.purchaseEventId} ${problem}`;
      return [{ doc, text }];
    });
  },
};
