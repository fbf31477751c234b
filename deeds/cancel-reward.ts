import { ServiceError } from '../domain/errors.ts';
import type { Cancellation } from '../domain/events.ts';
import { canMove } from '../domain/reward-states.ts';
import { ask } from '../http/ask.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { cancelReward as cancelRewardUpdate } from '../workflows/messages.ts';
import type { DeedsDeps } from './deps.ts';

/**
 * Cancels a reward that nobody has claimed, by asking its workflow, which alone writes it.
 * @returns the reward with this cancellation on it; also to the same operator asking again
 * @throws ServiceError NOT_FOUND; CONFLICT for a reward that was claimed, is over, or was cancelled
 *   otherwise; UNAVAILABLE when the workflow does not answer in time
 */
export async function cancelReward(
  deps: DeedsDeps,
  rewardId: string,
  reason: string,
  adminId: string,
): Promise<RewardDoc> {
  const before = await findReward(deps, rewardId);
  if (canMove(before, 'CANCEL')) {
    const cancellation: Cancellation = {
      adminId,
      cancelledAt: new Date(deps.now()).toISOString(),
      sealedReason: deps.sealer.seal(reason, rewardId),
    };
    await ask(deps, {
      purchase: { ...before, rewardId },
      update: cancelRewardUpdate,
      args: [cancellation],
    });
  }
  const after = await findReward(deps, rewardId);
  const { status, cancellation } = after;
  const isThisOne =
    cancellation?.adminId === adminId &&
    deps.sealer.open(cancellation.sealedReason, rewardId) === reason;
  if (isThisOne) return after;
  const by = cancellation ? ` by ${cancellation.adminId} at ${cancellation.cancelledAt}` : '';
  throw new ServiceError(
    'CONFLICT',
    `${rewardId} is ${status}${by}. Only a reward that nobody has claimed can be cancelled, once.`,
  );
}

/** @throws ServiceError NOT_FOUND */
export async function findReward(
  { models }: Pick<DeedsDeps, 'models'>,
  rewardId: string,
): Promise<RewardDoc> {
  const reward = await models.rewards.findById(rewardId).lean();
  if (reward) return reward;
  throw new ServiceError('NOT_FOUND', `There is no reward ${JSON.stringify(rewardId)}.`);
}
