import { ServiceError } from '../../domain/errors.ts';
import { findRewardOfPartner } from '../rewards/reward-of-partner.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/**
 * A TEST reward of a partner. If the purchase's workflow has not started, the reward is computed as the
 * workflow will create it.
 * @throws ServiceError NOT_FOUND, also for LIVE rewards and another partner's
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

/** A stored TEST reward of a partner; null if its workflow has not started. */
export async function readNewTestReward(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
): Promise<RewardDoc | null> {
  return await models.rewards.findOne({ partnerId, _id, mode: 'TEST' });
}
