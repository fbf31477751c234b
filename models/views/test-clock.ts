import { ServiceError } from '../../domain/errors.ts';
import type { TestPeriodDoc } from '../schemas/billing.ts';
import { testRewardsIndex } from '../schemas/rewards.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const maxRewards = 25;
const maxPeriods = 12;
const maxPlans = 50;

/**
 * The page of the test clock: the newest TEST rewards, the TEST periods, and the plans from which a
 * partner without a subscription chooses one to bill by.
 */
export async function readTestClock(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  currency: string,
) {
  const [rewards, periods, plans, subscription] = await Promise.all([
    models.rewards
      .find({ partnerId, mode: 'TEST' })
      .sort({ createdAt: -1 })
      .limit(maxRewards)
      .hint(testRewardsIndex),
    models.testPeriods.find({ partnerId }).sort({ seq: -1 }).limit(maxPeriods),
    models.planVersions.find({ status: 'PUBLISHED', currency }).limit(maxPlans),
    models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }, { _id: 1 }),
  ]);
  return { rewards, periods, plans, hasSubscription: subscription !== null };
}

export type TestClock = Awaited<ReturnType<typeof readTestClock>>;

/** A TEST period with its invoice. @throws ServiceError NOT_FOUND, also for another partner's */
export async function readTestPeriod(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
): Promise<TestPeriodDoc> {
  const period = await models.testPeriods.findOne({ partnerId, _id });
  if (period) return period;
  throw new ServiceError('NOT_FOUND', 'There is no such TEST period.');
}
