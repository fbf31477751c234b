import { mature } from '../domain/facts.ts';
import { isOnHold } from '../domain/reward.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { findRewardOfOrder, type RequestedOrder } from '../models/rewards/find-reward.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { EventsDeps } from './deps.ts';

/**
 * Ends the hold of an order's reward now, since nothing of it will come back. One that is not on hold stays as it is,
 * so that a repeat changes nothing.
 * @returns the reward afterwards; null for an order that was not reported
 */
export async function releaseOrder(
  { models, commit }: Pick<EventsDeps, 'models' | 'commit'>,
  order: RequestedOrder,
  at: Date,
): Promise<RewardDoc | null> {
  const found = await findRewardOfOrder(models, order);
  if (found === null || !isOnHold(found, at)) return found;
  return await commitReward(commit, found, (draft, reward, terms) =>
    mature(draft, reward, terms, true),
  );
}
