import { ServiceError } from '../../domain/errors.ts';
import { findRewardOfPartner } from '../rewards/reward-of-partner.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/**
 * A TEST reward of a partner; of a purchase whose workflow has not begun, the reward as it will be made.
 * @throws ServiceError NOT_FOUND, for a LIVE one and for another's too
 */
export async function findTestReward(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  rewardId: string,
): Promise<RewardDoc> {
  const reward = await findRewardOfPartner(models, { partnerId, mode: 'TEST', rewardId });
  if (reward) return reward;
  throw new ServiceError(
    'NOT_FOUND',
    "There is no such TEST reward. LIVE rewards can't be moved by hand.",
  );
}

/** The same, null where its workflow has not begun. */
export async function readNewTestReward(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
): Promise<RewardDoc | null> {
  return await models.rewards.findOne({ partnerId, _id, mode: 'TEST' }).lean();
}
