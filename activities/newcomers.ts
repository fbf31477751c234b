import { type RewardSnapshot, walletIdOf, walletOf } from '../domain/events.ts';
import { isAwaited, reserveInOrder } from '../models/ledger/index.ts';
import { moveReward } from '../models/rewards.ts';
import type { EntryDoc } from '../models/schemas/entry.ts';
import { createBatches } from '../platform/batches.ts';
import type { ActivityDeps } from './deps.ts';

const maxBatch = 100;

interface Newcomer {
  reward: RewardSnapshot;
  at: string;
  resolve(funded: { reward: RewardSnapshot; entry: EntryDoc | null }): void;
  reject(error: unknown): void;
}

/**
 * Funds rewards that are new to their wallet, in the order in which they came, or puts them in line.
 * Those that arrive together are decided together, and a batch is over once its rewards are written
 * as funded or waiting: so that the next one sees who waits, and nobody overtakes.
 */
export function createNewcomers({ models, ledger }: Pick<ActivityDeps, 'models' | 'ledger'>) {
  const enqueue = createBatches<Newcomer>(maxBatch, fundBatch);

  async function fundBatch(_walletId: string, batch: readonly Newcomer[]): Promise<void> {
    const newcomers = batch.toSorted((a, b) => (a.reward.rewardId < b.reward.rewardId ? -1 : 1));
    const [first] = newcomers;
    if (first === undefined) return;
    const wallet = walletOf(first.reward);
    const isBehindOthers = await isAwaited(models, wallet);
    const reservations = await reserveInOrder(ledger, wallet, newcomers, { isBehindOthers });
    await Promise.all(
      newcomers.map(async ({ reward, at, resolve, reject }, place) => {
        const { isFunded, entry } = reservations[place] ?? { isFunded: false, entry: null };
        try {
          const move = isFunded ? 'FUND' : 'RUN_SHORT';
          resolve({ reward: await moveReward(models, reward, move, at), entry });
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  return (reward: RewardSnapshot, at: string) => {
    const { promise, resolve, reject } =
      Promise.withResolvers<Parameters<Newcomer['resolve']>[0]>();
    const wallet = walletOf(reward);
    enqueue(`${wallet.partnerId}/${walletIdOf(wallet)}`, { reward, at, resolve, reject });
    return promise;
  };
}
