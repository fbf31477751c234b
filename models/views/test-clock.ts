import { testRewardsIndex } from '../schemas/rewards.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const maxRewards = 25;

/** The page of the test clock: the newest TEST rewards. */
export const readTestClock = ({ models }: Pick<ViewDeps, 'models'>, partnerId: PartnerScope) =>
  models.rewards
    .find({ partnerId, mode: 'TEST' })
    .sort({ createdAt: -1 })
    .limit(maxRewards)
    .hint(testRewardsIndex)
    .lean();
