import { worthBefore } from '../../../domain/refunds.ts';
import type { OrderEventDoc } from '../../schemas/events.ts';
import type { DocCheck } from '../sources.ts';

/** Every purchase event has one reward with the worth it states, or its workflow is still to begin. */
export const purchaseHasReward: DocCheck<OrderEventDoc> = {
  name: 'purchases: one reward each',
  async problemsOf({ models }, partnerId, events) {
    const rewards = await models.rewards.find({
      partnerId,
      purchaseEventId: { $in: events.map(({ _id }) => _id) },
    });
    const rows = await models.outbox.find(
      { partnerId, _id: { $in: events.map(({ _id }) => _id) } },
      { at: 1 },
    );
    const toBegin = new Map(rows.map(({ _id, at }) => [_id, at]));
    const rewardsOf = Map.groupBy(rewards, ({ purchaseEventId }) => purchaseEventId);
    return events.flatMap((doc) => {
      const problem = problemOf(doc);
      if (problem === undefined) return [];
      const isThere = rewardsOf.has(doc._id);
      return [
        {
          doc,
          text: `purchase ${doc._id}, partner ${partnerId}: ${problem}`,
          ...(!isThere && { waitingSince: toBegin.get(doc._id) }),
        },
      ];
    });

    function problemOf({ _id, rewardId, mode, purchase }: OrderEventDoc): string | undefined {
      const [reward, second] = rewardsOf.get(_id) ?? [];
      if (!reward) return `its reward ${rewardId} does not exist`;
      if (second) return `it has two rewards, ${reward._id} and ${second._id}`;
      if (reward._id !== rewardId) return `its reward is ${reward._id} and not ${rewardId}`;
      if (reward.mode !== mode) return `its reward ${rewardId} is ${reward.mode}`;
      const earned = worthBefore(reward, 1);
      const isWorth =
        earned.points === purchase?.arithmetic.points &&
        earned.liabilityCents === purchase.liabilityCents &&
        reward.customerId === purchase.customerId;
      return isWorth ? undefined : `its reward ${rewardId} is not the one it earned`;
    }
  },
};
