import { moveTestReward, type TestMove } from '../deeds/move-test-reward.ts';
import { ServiceError } from '../domain/errors.ts';
import type { OtherAction } from '../models/commands/actions.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { deed } from './deeds.ts';
import type { PortalDeps } from './deps.ts';

/** What the TEST clock does to a reward at once, by the end of its path. */
export const testMoves = {
  claim: { move: 'CLAIM', action: 'test-clock.claim', said: 'It is claimed, as by its customer.' },
  expire: { move: 'EXPIRE', action: 'test-clock.expire', said: 'Its claim window has ended.' },
} as const satisfies Record<string, { move: TestMove; action: OtherAction; said: string }>;

export type TestMoveName = keyof typeof testMoves;

/** A TEST reward of a partner. @throws ServiceError NOT_FOUND, for a LIVE one and for another's too */
export async function findTestReward(
  models: Models,
  partnerId: string,
  _id: string,
): Promise<RewardDoc> {
  const reward = await models.rewards.findOne({ partnerId, _id, mode: 'TEST' }).lean();
  if (reward) return reward;
  throw new ServiceError(
    'NOT_FOUND',
    'There is no such TEST reward. A new one is here within a moment; a LIVE one has no clock but time.',
  );
}

/** Makes the move of a partner's TEST reward, in the name of who asks. @throws ServiceError */
export async function makeTestMove(
  deps: PortalDeps,
  ctx: Parameters<typeof deed>[1],
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
  name: TestMoveName,
): Promise<RewardDoc> {
  const { move, action } = testMoves[name];
  const { _id: targetId } = await findTestReward(deps.models, partnerId, rewardId);
  return await deed(deps, ctx, { action, partnerId, targetId, once: 'now' }, () =>
    moveTestReward(deps, targetId, move),
  );
}
