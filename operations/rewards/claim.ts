import type { Language } from '../../domain/languages.ts';
import type { MoveReward } from '../../models/rewards/move.ts';
import { claimReward } from '../../models/rewards/settle.ts';
import { createRewardsTogether } from '../../models/rewards/together.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import type { OperationDeps } from '../deps.ts';

/** Claims a reward for the holder of its link, who is no actor of the audit log: the reward keeps it. */
export function createClaim(models: Models) {
  const { move }: { move: MoveReward } = createRewardsTogether(models);

  /** One write of the reward, which its workflow carries out behind it; it answers the same again. */
  return async function claim(
    deps: Pick<OperationDeps, 'models' | 'now'>,
    reward: RewardDoc,
    language: Language | undefined,
  ): Promise<RewardDoc> {
    return await claimReward(deps.models, reward, new Date(deps.now()), { move, language });
  };
}
