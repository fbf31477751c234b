import { walletIdOf, walletOf } from '../domain/postings.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import {
  isAwaited,
  isFundedFrom,
  type Reservation,
  reservationOf,
  reserveInOrder,
} from '../models/ledger/index.ts';
import { makeFirstMoves } from '../models/rewards/first-moves.ts';
import { toSnapshot } from '../models/rewards/move.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { type BatchJob, createBatcher } from '../platform/batcher.ts';
import type { ActivityDeps } from './deps.ts';

interface NewReward {
  reward: RewardSnapshot;
  at: string;
}

/**
 * A reward that is funded, queued or already ended, and the entry that reserved its money, if any.
 */
export interface Funding {
  reward: RewardSnapshot;
  entry: EntryDoc | null;
  stored: RewardDoc;
  /** ISO 8601, when that was decided, possibly by an earlier attempt. */
  decidedAt: string;
}

/**
 * Funds new rewards of a wallet, first come, first served, or puts them into its queue. Concurrent
 * requests are decided together. A batch ends only once its rewards are stored as funded or
 * waiting, so that the next batch sees who waits and nobody jumps the queue.
 */
export function createAccounting({
  models,
  ledger,
  batchOptions,
}: Pick<ActivityDeps, 'models' | 'ledger' | 'batchOptions'>) {
  const accountTogether = createBatcher<NewReward, Funding>(batchOptions, accountBatch);

  async function accountBatch(
    _walletId: string,
    batch: readonly BatchJob<NewReward, Funding>[],
  ): Promise<void> {
    const partnerId = batch[0]?.reward.partnerId ?? '';
    const ids = batch.map(({ reward }) => reward.rewardId);
    const docs = await models.rewards.collection.find({ partnerId, _id: { $in: ids } }).toArray();
    const storedBy = new Map(docs.map((doc) => [doc._id, doc]));
    const found = batch
      .flatMap((request) => {
        const stored = storedBy.get(request.reward.rewardId);
        return stored ? [{ ...request, stored, reward: toSnapshot(stored) }] : [];
      })
      .toSorted((a, b) => (a.stored._id < b.stored._id ? -1 : 1));
    // Decided by an earlier attempt that died before it could return: that stands, also for rewards
    // that cost nothing.
    const decided = found.filter(({ stored }) => stored.version > 0);
    await Promise.all(
      decided.map(async ({ reward, stored, at, resolve }) => {
        const decidedAt = decidedAtOf(stored) ?? at;
        resolve({ reward, entry: await reservationOf(ledger, reward), stored, decidedAt });
      }),
    );
    const newRewards = found.filter(({ stored }) => stored.version === 0);
    const reservations = await reserve(newRewards);
    const moved = await makeFirstMoves(
      models,
      newRewards.map(({ stored, at }, place) => ({
        stored,
        move: reservations[place]?.isFunded ? 'FUND' : 'RUN_SHORT',
        at: new Date(at),
      })),
    );
    newRewards.forEach(({ stored, at, resolve }, place) => {
      const entry = reservations[place]?.entry ?? null;
      const reward = moved[place] ?? stored;
      const decidedAt = decidedAtOf(reward) ?? at;
      resolve({ reward: toSnapshot(reward), entry, stored: reward, decidedAt });
    });
  }

  /** @param newRewards of one wallet, in queue order */
  async function reserve(newRewards: readonly NewReward[]): Promise<Reservation[]> {
    const [first] = newRewards;
    if (first === undefined) return [];
    const wallet = walletOf(first.reward);
    if (!(await isFundedFrom(ledger, wallet))) {
      return newRewards.map(() => ({ isFunded: true, entry: null }));
    }
    const isBehindOthers = await isAwaited(models, wallet);
    return await reserveInOrder(ledger, wallet, newRewards, { isBehindOthers });
  }

  return (reward: RewardSnapshot, at: string): Promise<Funding> => {
    const wallet = walletOf(reward);
    return accountTogether(`${wallet.partnerId}/${walletIdOf(wallet)}`, { reward, at });
  };
}

/** When it was decided whether the reward is funded. */
function decidedAtOf({ moves }: RewardDoc): string | undefined {
  return moves.findLast(({ move }) => move === 'FUND' || move === 'RUN_SHORT')?.at.toISOString();
}
