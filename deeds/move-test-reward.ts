import { ServiceError } from '../domain/errors.ts';
import { canMove } from '../domain/reward-states.ts';
import { type AskDeps, ask } from '../http/ask.ts';
import { findReward, requireNotSuspended } from '../models/commands/find.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { claimReward, expireTestReward } from '../workflows/messages.ts';

/** What the TEST clock does to a reward at once. */
export type TestMove = 'CLAIM' | 'EXPIRE';

const requirements: Record<TestMove, string> = {
  CLAIM: 'Only a reward that is funded and unclaimed can be claimed.',
  EXPIRE: 'Only a reward that nobody has claimed can expire.',
};
const updates = { CLAIM: claimReward, EXPIRE: expireTestReward };

/**
 * Claims a TEST reward as its customer would, or ends its claim window, by asking its workflow, which
 * alone writes it. A reward that has made the move before is answered as it is.
 * @throws ServiceError NOT_FOUND; CONFLICT for a LIVE reward, and for one that cannot make the move;
 *   PARTNER_SUSPENDED for a claim; UNAVAILABLE when the workflow does not answer in time
 */
export async function moveTestReward(
  deps: AskDeps & { models: Models },
  rewardId: string,
  move: TestMove,
): Promise<RewardDoc> {
  const { models } = deps;
  const before = await findReward(models, rewardId);
  if (before.mode !== 'TEST') {
    throw new ServiceError(
      'CONFLICT',
      `${rewardId} is LIVE: its customer alone claims it, and it expires by the clock alone.`,
    );
  }
  if (canMove(before, move)) {
    if (move === 'CLAIM') await requireNotSuspended(models, before.partnerId);
    await ask(deps, { purchase: { ...before, rewardId }, update: updates[move], args: [] });
  }
  const after = await findReward(models, rewardId);
  if (after.moves.some((made) => made.move === move)) return after;
  throw new ServiceError('CONFLICT', `${rewardId} is ${after.status}. ${requirements[move]}`);
}
