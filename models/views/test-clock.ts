import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const maxRewards = 25;

/** The page of the test clock: the newest TEST rewards. */
export const readTestClock = ({ models }: Pick<ViewDeps, 'models'>, partnerId: PartnerScope) =>
  models.rewards
    .find({ partnerId, mode: 'TEST' })
    .sort({ _id: -1 })
    .limit(maxRewards);
