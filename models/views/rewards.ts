import type { Mode } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward-states.ts';
import { idBound } from '../../platform/ids.ts';
import { findPartner } from '../identity/partners.ts';
import { findReward } from '../rewards/find-reward.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { readEventDetails } from './event-details.ts';
import { readPartnerNames } from './names.ts';
import { scopeOf } from './partner-scope.ts';

/** Filters of the list of rewards. */
export interface RewardFilter extends DayRange {
  status?: RewardStatus | undefined;
  mode?: Mode | undefined;
  partnerId?: string | undefined;
  externalOrderId?: string | undefined;
  customerId?: string | undefined;
}

/** A page of all partners' rewards, for operators. */
export async function readRewards({ models }: ModelDeps, filter: RewardFilter, query: PageQuery) {
  const rewards = await page(models.rewards, rewardsIn(filter), query, (one: RewardDoc) => one);
  return { ...rewards, nameOf: await readPartnerNames({ models }, rewards.items) };
}

/** The conditions on the rewards of a list. */
export function rewardsIn({ fromDay, toDay, ...equal }: RewardFilter): Record<string, unknown>[] {
  return [...given(equal), ...createdOn({ fromDay, toDay }, (atMs) => idBound('reward', atMs))];
}

export type Rewards = Awaited<ReturnType<typeof readRewards>>;

/** A reward of any partner, for operators. @throws ServiceError NOT_FOUND */
export const readAnyReward = ({ models }: ModelDeps, rewardId: string): Promise<RewardDoc> =>
  findReward(models, rewardId);

/** The details of a reward, for operators; null if its purchase is missing. */
export async function readRewardDetails(
  deps: Pick<ViewDeps, 'models' | 'sealer' | 'now'>,
  reward: RewardDoc,
) {
  const details = await readEventDetails(
    deps,
    scopeOf({ _id: reward.partnerId }),
    reward.purchaseEventId,
  );
  if (details === null) return null;
  return { reward, details, partner: await findPartner(deps.models, reward.partnerId) };
}

export type RewardDetails = NonNullable<Awaited<ReturnType<typeof readRewardDetails>>>;
