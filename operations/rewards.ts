import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { cancel as cancelUnclaimed, claim, reinstate } from '../domain/facts.ts';
import type { Language } from '../domain/languages.ts';
import type { Mode } from '../domain/mode.ts';
import { type Cancellation, canMove, isReinstatable, openStatuses } from '../domain/reward.ts';
import { requireNotSuspended } from '../models/identity/partners.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { findReward } from '../models/rewards/find-reward.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { sealForCustomer } from '../models/store/data-keys.ts';
import { cancellationReasonOf } from '../models/views/rewards.ts';
import type { OperationDeps } from './deps.ts';
import { idField, longText, referenceField } from './fields.ts';
import { operation, sensitiveOperation } from './operation.ts';

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
 * Takes back the refund of an unclaimed reward, which was a mistake, within the claim window. Its money is
 * reserved anew. In LIVE, it takes two operators.
 */
export const reinstateReward = sensitiveOperation({
  name: 'reward.reinstate',
  permission: { operator: 'reward.reinstate', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ rewardId: string; reference: string }>({
    rewardId: idField,
    reference: referenceField.required(),
  }),
  find: ({ models }, { rewardId }) => findReward(models, rewardId),
  approval: {
    facts: (_deps, { rewardId }, { partnerId, mode, points, currency, ...reward }) => ({
      partnerId,
      rewardId,
      mode,
      points,
      currency,
      cents: reward.liabilityCents,
      refundedCents: reward.refundedCents,
      status: reward.status,
      claimExpiresAt: reward.claimExpiresAt.toISOString(),
    }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ rewardId: targetId, reference }, { partnerId, mode }) => ({
    targetId,
    partnerId,
    details: { reference, mode },
    once: 'BY_REFERENCE',
  }),

  /**
   * @returns the reward; the same for a repeat, as long as it stands
   * @throws ServiceError CONFLICT unless a refund cancelled it, unclaimed and within its claim window
   */
  async run({ commit, models, now }: OperationDeps, { rewardId }, { found }): Promise<RewardDoc> {
    const isBack = found.moves.some(({ move }) => move === 'REINSTATE');
    if (isBack && openStatuses.includes(found.status)) return found;
    if (isReinstatable(found, new Date(now()))) {
      await requireNotSuspended(models, found.partnerId);
      const after = await commitReward(commit, found, reinstate);
      if (after.status !== 'CANCELLED') return after;
    }
    throw new ServiceError(
      'CONFLICT',
      `${rewardId} is ${found.status}. Only an unclaimed reward that a refund cancelled can be reinstated, within its claim window.`,
    );
  },
});

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
