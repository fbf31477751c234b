import { ServiceError } from '../domain/errors.ts';
import type { Cancellation } from '../domain/events.ts';
import { canMove } from '../domain/reward-states.ts';
import { ask } from '../http/ask.ts';
import { findReward } from '../models/commands/find.ts';
import { openSealed, sealForCustomer } from '../models/data-keys.ts';
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
  const before = await findReward(deps.models, rewardId);
  if (canMove(before, 'CANCEL')) {
    const cancellation: Cancellation = {
      adminId,
      cancelledAt: new Date(deps.now()).toISOString(),
      sealedReason: await sealForCustomer(deps, before, reason, rewardId),
    };
    await ask(deps, {
      purchase: { ...before, rewardId },
      update: cancelRewardUpdate,
      args: [cancellation],
    });
  }
  const after = await findReward(deps.models, rewardId);
  const { status, cancellation } = after;
  if (cancellation?.adminId === adminId) {
    // Of an erased customer nobody can tell any more whether it was another reason.
    const written = await cancellationReasonOf(deps, after);
    if (written === null || written === reason) return after;
  }
  const by = cancellation ? ` by ${cancellation.adminId} at ${cancellation.cancelledAt}` : '';
  throw new ServiceError(
    'CONFLICT',
    `${rewardId} is ${status}${by}. Only a reward that nobody has claimed can be cancelled, once.`,
  );
}

/** Why an operator cancelled a reward; null where none did, and once the customer was erased. */
export async function cancellationReasonOf(
  deps: Pick<DeedsDeps, 'models' | 'sealer'>,
  { _id: context, partnerId, cancellation }: RewardDoc,
): Promise<string | null> {
  if (cancellation === null) return null;
  return await openSealed(deps, { partnerId, sealed: cancellation.sealedReason, context });
}
