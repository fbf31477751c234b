import type { CustomerDay } from '../../domain/customer-days.ts';
import type { Draft } from '../../domain/draft.ts';
import { begun, type Terms } from '../../domain/facts.ts';
import { walletOf } from '../../domain/postings.ts';
import type { Commit } from '../commit.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/**
 * Commits a fact of one reward. A purchase that has not begun begins in the same commit.
 * @param found as read before
 * @param fact decides it on the reward as it is now
 * @param customerDays other days of customers that it changes
 */
export async function commitReward<Outcome>(
  commit: Commit,
  found: RewardDoc,
  fact: (draft: Draft, reward: RewardDoc, terms: Terms) => Outcome,
  customerDays: readonly CustomerDay[] = [],
): Promise<Outcome> {
  const { _id: rewardId, partnerId } = found;
  return await commit({
    partnerId,
    wallet: walletOf(found),
    rewardIds: [rewardId],
    readsHoldings: true,
    customerDays,
    decide: (draft, terms) => fact(draft, begun(draft, rewardId, terms), terms),
  });
}
