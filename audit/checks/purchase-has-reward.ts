import { isDeepStrictEqual } from 'node:util';
import { worthBefore } from '../../domain/refunds.ts';
import type { OrderEventDoc, PurchaseFacts } from '../../models/schemas/events.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { AuditDeps } from '../audit.ts';
import type { DocCheck } from '../sources.ts';

/** Every purchase event has one reward with the worth it states, or its workflow is still to begin. */
export const purchaseHasReward: DocCheck<OrderEventDoc> = {
  name: 'purchases: one reward each',
  async problemsOf({ models }, partnerId, events) {
    const rewards = await models.rewards.find({
      partnerId,
      purchaseEventId: { $in: events.map(({ _id }) => _id) },
    });
    const corrected = await correctedBy(models, rewards);
    const rewardsOf = Map.groupBy(rewards, ({ purchaseEventId }) => purchaseEventId);
    return events.flatMap((doc) => {
      const problem = problemOf(doc);
      if (problem === undefined) return [];
      const isThere = rewardsOf.has(doc._id);
      return [
        {
          doc,
          text: `purchase ${doc._id}, partner ${partnerId}: ${problem}`,
          ...(!isThere && { waitingSince: doc.due?.since }),
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
        (reward.correction?.fromCustomerId ?? reward.customerId) === purchase.customerId;
      if (!isWorth) return `its reward ${rewardId} is not the one it earned`;
      if (!isDeepStrictEqual(reward.budget, purchase.budget)) {
        return `its reward ${rewardId} counts in another budget`;
      }
      if (!hasHoldOf(reward, purchase)) return `its reward ${rewardId} has another hold`;
      const isExplained = !reward.correction || corrected.get(rewardId) === reward.customerId;
      return isExplained ? undefined : `nobody corrected the contact of its reward ${rewardId}`;
    }
  },
};

/** Whether a reward's hold is that of its purchase, or ended earlier, by a move. */
function hasHoldOf({ claimableFrom, moves }: RewardDoc, purchase: PurchaseFacts): boolean {
  const from = purchase.claimableFrom?.getTime();
  if (claimableFrom?.getTime() === from) return true;
  const endedAt = moves.find(({ move }) => move === 'MATURE')?.at.getTime();
  return from !== undefined && claimableFrom?.getTime() === endedAt && Number(endedAt) < from;
}

/** Whose rewards are after their contact was corrected, by the audit log. */
async function correctedBy(
  { auditEntries }: AuditDeps['models'],
  rewards: readonly RewardDoc[],
): Promise<Map<string | null, unknown>> {
  const ids = rewards.flatMap(({ _id, correction }) => (correction ? [_id] : []));
  if (ids.length === 0) return new Map();
  const [{ partnerId } = { partnerId: '' }] = rewards;
  const entries = await auditEntries.find({
    partnerId,
    targetId: { $in: ids },
    action: 'reward.correct-contact',
    status: { $ne: 'FAILED' },
  });
  return new Map(entries.map(({ targetId, details }) => [targetId, details.customerId]));
}
