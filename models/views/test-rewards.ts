import { ServiceError } from '../../domain/errors.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A TEST reward of a partner. @throws ServiceError NOT_FOUND, for a LIVE one and for another's too */
export async function findTestReward(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: string,
  _id: string,
): Promise<RewardDoc> {
  const reward = await models.rewards.findOne({ partnerId, _id, mode: 'TEST' }).lean();
  if (reward) return reward;
  throw new ServiceError(
    'NOT_FOUND',
    "There is no such TEST reward. A new one is here within a moment; LIVE rewards can't be moved by hand.",
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
