import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { UserActor } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import {
  claimTestReward,
  endTestPoints,
  expireTestReward,
  matureTestReward,
} from '../operations/test-clock.ts';
import { scopeOf } from '../views/partner-scope.ts';
import { findTestReward } from '../views/rewards.ts';
import type { PortalDeps } from './deps.ts';

/** Moves of the TEST clock, by the last segment of their path. */
export const testMoves = {
  mature: { operation: matureTestReward, said: 'Hold ended.' },
  claim: { operation: claimTestReward, said: 'Reward claimed.' },
  expire: { operation: expireTestReward, said: 'Claim window ended.' },
  'end-points': {
    operation: endTestPoints,
    said: 'The next notice is being sent or, after the last one, the points end.',
  },
} as const;

export type TestMoveName = keyof typeof testMoves;

/** Applies a move to a partner's TEST reward, on behalf of the actor. @throws ServiceError */
export async function makeTestMove(
  deps: PortalDeps,
  actor: UserActor,
  rewardId: string,
  name: TestMoveName,
): Promise<RewardDoc> {
  await findTestReward(deps, scopeOf({ _id: actor.partnerId }), rewardId);
  return await execute(deps, testMoves[name].operation, actor, { rewardId });
}
