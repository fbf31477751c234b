import type { RewardDoc } from '../models/schemas/reward.ts';
import { scopeOf } from '../models/views/partner-scope.ts';
import { findTestReward } from '../models/views/test-rewards.ts';
import type { UserActor } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import { claimTestReward } from '../operations/test-clock/claim.ts';
import { expireTestReward } from '../operations/test-clock/expire.ts';
import type { PortalDeps } from './deps.ts';

/** What the TEST clock does to a reward at once, by the end of its path. */
export const testMoves = {
  claim: { operation: claimTestReward, said: 'testClock.claim.done' },
  expire: { operation: expireTestReward, said: 'testClock.expire.done' },
} as const;

export type TestMoveName = keyof typeof testMoves;

/** Makes the move of a partner's TEST reward, in the name of who asks. @throws ServiceError */
export async function makeTestMove(
  deps: PortalDeps,
  actor: UserActor,
  rewardId: string,
  name: TestMoveName,
): Promise<RewardDoc> {
  await findTestReward(deps, scopeOf({ _id: actor.partnerId }), rewardId);
  return await execute(deps, testMoves[name].operation, actor, { rewardId });
}
