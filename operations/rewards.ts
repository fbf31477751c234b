import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import type { Language } from '../domain/languages.ts';
import { type Cancellation, canMove } from '../domain/reward.ts';
import { createBatchedRewards } from '../models/rewards/batched-rewards.ts';
import { findOrCreateReward } from '../models/rewards/create.ts';
import { findReward } from '../models/rewards/find-reward.ts';
import type { MoveReward } from '../models/rewards/move.ts';
import { cancelUnclaimed, claimReward } from '../models/rewards/reward-moves.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { sealForCustomer } from '../models/store/data-keys.ts';
import { cancellationReasonOf } from '../models/views/rewards.ts';
import type { OperationDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import { operation } from './operation.ts';

/** Cancels a reward that nobody has claimed. */
export const cancelReward = operation({
  name: 'reward.cancel',
  permission: { operator: 'reward.cancel', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ rewardId: string; reason: string }>({
    rewardId: idField,
    reason: longText(500).required(),
  }),
  find: ({ models }, { rewardId }) => findReward(models, rewardId),
  approval: 'NONE',
  // The reason stays out of the audit log: it may name a customer, and is sealed with the reward.
  audit: ({ rewardId }, { partnerId }, { id }) => ({
    targetId: rewardId,
    partnerId,
    once: `by ${id}`,
  }),

  /**
   * @returns the reward with this cancellation; the same for a repeat by the same operator
   * @throws ServiceError CONFLICT for a reward that was claimed, has expired, or was cancelled by somebody else or for
   *   another reason
   */
  async run(deps: OperationDeps, { rewardId, reason }, { actor, found }): Promise<RewardDoc> {
    const before = await findOrCreateReward(deps.models, found);
    const operatorId = actor.id;
    const after = canMove(before, 'CANCEL')
      ? await cancel(deps, before, reason, operatorId)
      : before;
    const { status, cancellation } = after;
    if (cancellation?.operatorId === operatorId) {
      // The reason of an erased customer can no longer be read, so it is not compared.
      const written = await cancellationReasonOf(deps, after);
      if (written === null || written === reason) return after;
    }
    const by = cancellation ? ` by ${cancellation.operatorId} at ${cancellation.cancelledAt}` : '';
    throw new ServiceError(
      'CONFLICT',
      `${rewardId} is ${status}${by}. Only an unclaimed reward can be cancelled, and only once.`,
    );
  },
});

/** Cancels the reward; its workflow carries out the consequences. */
async function cancel(
  deps: OperationDeps,
  before: RewardDoc,
  reason: string,
  operatorId: string,
): Promise<RewardDoc> {
  const cancellation: Cancellation = {
    operatorId,
    cancelledAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, before, reason, before._id),
  };
  return await cancelUnclaimed(deps.models, before, cancellation);
}

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
