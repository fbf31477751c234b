import { claim } from '../../domain/facts.ts';
import type { Language } from '../../domain/languages.ts';
import { commitReward } from '../../models/rewards/commit-reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { OperationDeps } from '../deps.ts';

/**
 * Claims a reward for the holder of its link, by one commit with its money and points. It has no audit
 * entry, because the reward's move records it. A repeat returns the same.
 * @returns the reward afterwards; its customerStatus says whether it is claimed
 */
export async function claimReward(
  { commit }: Pick<OperationDeps, 'commit'>,
  found: RewardDoc,
  language: Language | undefined,
): Promise<RewardDoc> {
  return await commitReward(commit, found, (draft, reward, terms) =>
    claim(draft, reward, terms, language),
  );
}
