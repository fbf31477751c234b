import type { Models } from '../schemas/index.ts';
import { testRewardsIndex } from '../schemas/rewards.ts';

/** Further rewards are not counted, which bounds the read; a rehearsal does not need more. */
const maxRewards = 100_000;

/**
 * Counts the TEST rewards of a period that are funded: cancelled and expired ones have given their points
 * back.
 * @param to exclusive
 */
export async function countFundedTestRewards(
  models: Models,
  partnerId: string,
  from: Date,
  to: Date,
): Promise<{ rewards: number; points: number }> {
  const [sum] = await models.rewards
    .aggregate<{ rewards: number; points: number }>([
      { $match: { partnerId, mode: 'TEST', createdAt: { $gte: from, $lt: to }, funded: true } },
      { $limit: maxRewards },
      { $group: { _id: null, rewards: { $sum: 1 }, points: { $sum: '$points' } } },
      { $project: { _id: 0 } },
    ])
    .option({ hint: testRewardsIndex });
  return sum ?? { rewards: 0, points: 0 };
}
