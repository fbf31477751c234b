import type { FundingMove } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { measureMove, readReward, writeOf } from './move.ts';

/** The first move of a reward, which records whether the funds cover it. */
export interface FirstMove {
  stored: RewardDoc;
  move: FundingMove;
  at: Date;
}

/**
 * Writes the first moves of several rewards with one command, each only if the reward still has the version that
 * was read. The rewards are not marked as pending, because their open workflows carry out these moves. A reward
 * that was cancelled in the meantime, or moved by an earlier attempt, is not changed.
 * @returns the rewards as stored afterwards, in the same order
 */
export async function makeFirstMoves(
  models: Models,
  moves: readonly FirstMove[],
): Promise<RewardDoc[]> {
  if (moves.length === 0) return [];
  const writes = moves.map(({ stored, ...request }) =>
    writeOf(stored, request, { isMarked: false }),
  );
  const { matchedCount } = await models.rewards.collection.bulkWrite(
    writes.map(({ filter, update }) => ({ updateOne: { filter, update } })),
    { ordered: false },
  );
  if (matchedCount < moves.length) {
    return await Promise.all(moves.map(({ stored }) => readReward(models, stored)));
  }
  for (const { stored, ...request } of moves) measureMove(stored, request);
  return writes.map(({ after }) => after);
}
