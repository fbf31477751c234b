import { type RewardSnapshot, walletOf } from '../domain/events.ts';
import type { Effect } from '../domain/reward-states.ts';
import { isAwaited, reservationOf, rewardDraft } from '../models/ledger/index.ts';
import { finishMove } from '../models/rewards.ts';
import type { UnfinishedMove } from '../models/schemas/reward.ts';
import type { ActivityDeps } from './deps.ts';

export type Finish = ReturnType<typeof createFinish>;
export type FinishDeps = Pick<ActivityDeps, 'models' | 'ledger' | 'usage' | 'messenger'>;

/**
 * Does what a stored move brings about, and takes its mark away: the one place in which a reward's
 * money is paid out or given up. What it does stands on the reward, so that a run that knows nothing
 * of the one before can do it. Every step is safe to repeat.
 */
export function createFinish({ models, ledger, usage, messenger }: FinishDeps) {
  return async (reward: RewardSnapshot, { effect, at, closes }: UnfinishedMove): Promise<void> => {
    const { partnerId, mode } = reward;
    if (effect !== null && (await hasMoney(reward, effect))) {
      await ledger.of(mode).append(rewardDraft(reward, effect, at));
    }
    if (effect !== null && effect !== 'CLAIM') await giveUp(reward, at);
    if (closes !== null) {
      const { reviewId, decision } = closes;
      await models.reviews.updateOne(
        { partnerId, _id: reviewId },
        { $set: { status: 'DECIDED', decision } },
      );
    }
    await finishMove(models, reward);
  };

  /** One that was never funded has no money to give back, and without test funding TEST moves none. */
  async function hasMoney(reward: RewardSnapshot, effect: Effect): Promise<boolean> {
    if (reward.mode === 'LIVE' && effect !== 'RELEASE') return true;
    return (await reservationOf(ledger, reward)) !== null;
  }

  /** The reward holds its points and its place in line no longer, whether or not money moved. */
  async function giveUp(reward: RewardSnapshot, at: string): Promise<void> {
    if (reward.mode === 'LIVE') await usage.giveBack(reward, at);
    const wallet = walletOf(reward);
    if (await isAwaited(models, wallet)) await messenger.wakeWallet(wallet);
  }
}
