import type { Language } from '../../domain/languages.ts';
import { createBatchedRewards } from '../../models/rewards/batched-rewards.ts';
import type { MoveReward } from '../../models/rewards/move.ts';
import { claimReward } from '../../models/rewards/reward-moves.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { OperationDeps } from '../deps.ts';

/** Claims a reward for the holder of its link. It has no audit entry, because the reward's move records it. */
export function createClaim(models: Models) {
  const { move }: { move: MoveReward } = createBatchedRewards(models);

  /** Writes the move, which the reward's workflow carries out afterwards. A repeat returns the same. */
  return async function claim(
    deps: Pick<OperationDeps, 'models' | 'now'>,
    reward: RewardDoc,
    language: Language | undefined,
  ): Promise<RewardDoc> {
    return await claimReward(deps.models, reward, new Date(deps.now()), { move, language });
  };
}
