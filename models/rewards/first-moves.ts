import type { FundingMove } from '../../domain/reward-states.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { measureMove, readReward, writeOf } from './move.ts';

/** The first move of a reward: whether its money is there. */
export interface FirstMove {
  stored: RewardDoc;
  move: FundingMove;
  at: Date;
}

/**
 * Writes the first moves of several rewards in one go, each from exactly the version that was read. They
 * carry no mark: the workflow that accounts for them is open, and looks after them. One that was
 * cancelled meanwhile, or was moved by an attempt before, stays as it is.
 * @returns the rewards as they stand, in their order
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
    writes.map(({ filter, update }) => ({ updateOne: { filter, update } })) as never[],
    { ordered: false },
  );
  if (matchedCount < moves.length) {
    return await Promise.all(moves.map(({ stored }) => readReward(models, stored)));
  }
  for (const { stored, ...request } of moves) measureMove(stored, request);
  return writes.map(({ after }) => after);
}
