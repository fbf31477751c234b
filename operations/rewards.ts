import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { cancel as cancelUnclaimed, claim } from '../domain/facts.ts';
import type { Language } from '../domain/languages.ts';
import { type Cancellation, canMove } from '../domain/reward.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { findReward } from '../models/rewards/find-reward.ts';
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
    const operatorId = actor.id;
    const after = canMove(found, 'CANCEL') ? await cancel(deps, found, reason, operatorId) : found;
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

async function cancel(
  deps: OperationDeps,
  found: RewardDoc,
  reason: string,
  operatorId: string,
): Promise<RewardDoc> {
  const cancellation: Cancellation = {
    operatorId,
    cancelledAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, found, reason, found._id),
  };
  return await commitReward(deps.commit, found, (draft, reward, terms) =>
    cancelUnclaimed(draft, reward, terms, cancellation),
  );
}

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
