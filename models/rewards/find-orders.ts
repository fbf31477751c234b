import { type RewardStatus, rewardStates, statesOf } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import { changedRewardsIndex, customerRewardsIndex, type RewardDoc } from '../schemas/rewards.ts';
import {
  type ChangeQuery,
  type Changes,
  conditionsOf,
  pageOfChanges,
  readLimit,
  sortOf,
} from '../store/change-paging.ts';
import { settled } from '../store/settled.ts';
import type { RequestedOrder } from './find-reward.ts';

/** An integration of a partner in one mode. */
export type OfIntegration = Pick<RequestedOrder, 'partnerId' | 'mode' | 'integrationId'>;

/**
 * A page of the rewards of an integration's orders, the newest change first; of a customer's, the newest order
 * first. Orders whose purchase has not begun are not among them.
 */
export async function findOrders(
  { rewards }: Models,
  { partnerId, mode, integrationId }: OfIntegration,
  { status, customerId }: { status?: RewardStatus | undefined; customerId?: string | undefined },
  query: ChangeQuery,
): Promise<Changes<RewardDoc>> {
  const order = customerId === undefined ? 'CHANGE' : 'AGE';
  const ofCustomer = customerId === undefined ? {} : { customerId };
  const states = status === undefined ? rewardStates : statesOf(status);
  const of = { partnerId, mode, integrationId, ...ofCustomer, state: { $in: states } };
  const found = await rewards.collection
    .find<RewardDoc>(
      { $and: [of, ...conditionsOf('reward', query, order)] },
      {
        hint: order === 'CHANGE' ? changedRewardsIndex : customerRewardsIndex,
        sort: sortOf[order],
        limit: readLimit(query),
        ...settled,
      },
    )
    .toArray();
  return pageOfChanges(found, query);
}
