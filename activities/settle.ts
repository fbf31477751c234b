import type { RewardSnapshot } from '../domain/events.ts';
import { effectOf, type SettlingMove } from '../domain/reward-states.ts';
import { type AlsoChanged, moveReward } from '../models/rewards.ts';
import type { UnfinishedMove } from '../models/schemas/reward.ts';
import { createFinish, type FinishDeps } from './finish.ts';

export type Settle = ReturnType<typeof createSettle>;

/** What a move may change beside the state, and which review it may close. */
type Along = Omit<AlsoChanged, 'unfinished'> & Partial<Pick<UnfinishedMove, 'closes'>>;

/**
 * Makes a settling move of the state table and does to the money what the table says. The state goes
 * first, with a mark of what is left to do: whoever funds the reward at the same moment looks at the
 * state after the reservation, so that one of the two sees the other and the money goes back. Every
 * step is safe to repeat.
 */
export function createSettle(deps: FinishDeps) {
  const finish = createFinish(deps);

  return async (
    reward: RewardSnapshot,
    move: SettlingMove,
    at: string,
    { closes = null, ...also }: Along = {},
  ): Promise<RewardSnapshot> => {
    const effect = effectOf(reward, move);
    const isDone = effect === null && closes === null;
    const unfinished = { effect, at, closes };
    const marked = isDone ? also : { ...also, unfinished };
    const moved = await moveReward(deps.models, reward, move, at, marked);
    if (!isDone) await finish(moved, unfinished);
    return moved;
  };
}
