import { type RewardSnapshot, walletOf } from '../domain/events.ts';
import { type Effect, effectOf, type SettlingMove } from '../domain/reward-states.ts';
import { isAwaited, reservationOf, rewardDraft } from '../models/ledger/index.ts';
import { type AlsoChanged, moveReward } from '../models/rewards.ts';
import type { ActivityDeps } from './deps.ts';

export type Settle = ReturnType<typeof createSettle>;

/**
 * Makes a settling move of the state table and does to the money what the table says: the one place
 * in which a reward's money is paid out or given up. The state goes first: whoever funds the reward at
 * the same moment looks at the state after the reservation, so that one of the two sees the other and
 * the money goes back. Every step is safe to repeat.
 */
export function createSettle({
  models,
  ledger,
  usage,
  messenger,
}: Pick<ActivityDeps, 'models' | 'ledger' | 'usage' | 'messenger'>) {
  return async (
    reward: RewardSnapshot,
    move: SettlingMove,
    at: string,
    also: AlsoChanged = {},
  ): Promise<RewardSnapshot> => {
    const effect = effectOf(reward, move);
    const moved = await moveReward(models, reward, move, at, also);
    if (effect === null) return moved;
    if (await hasMoney(reward, effect)) {
      await ledger.of(reward.mode).append(rewardDraft(reward, effect, at));
    }
    if (effect !== 'CLAIM') await giveUp(reward, at);
    return moved;
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
