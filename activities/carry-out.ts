import { type WalletRef, walletIdOf, walletOf } from '../domain/postings.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import {
  effectOf,
  type RewardSnapshot,
  type UnfinishedMove,
  unfinishedMoves,
} from '../domain/reward.ts';
import { createFindMarkedRefunds } from '../models/events/pending-events.ts';
import { createSettleRefunds, type SettledRefund } from '../models/events/settle-refunds.ts';
import {
  createCrossings,
  isAwaited,
  reservationOf,
  rewardDraft,
  voidReservation,
} from '../models/ledger/index.ts';
import { createBatchedRewards } from '../models/rewards/batched-rewards.ts';
import { createMarkCarriedOut } from '../models/rewards/carried-out.ts';
import { findOrCreateReward } from '../models/rewards/create.ts';
import { readReward, toSnapshot } from '../models/rewards/move.ts';
import { decideRefund } from '../models/rewards/refund.ts';
import { decidedReviewOf, followDecision } from '../models/rewards/reviews.ts';
import { expireReward } from '../models/rewards/reward-moves.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { MadeMove, RewardDoc } from '../models/schemas/rewards.ts';
import { factsOfMoves, fundingFacts, usageFacts } from '../models/webhooks/facts.ts';
import { createSharedReads } from '../platform/batched-reads.ts';
import type { ActivityDeps } from './deps.ts';

export type CarryOutDeps = Pick<
  ActivityDeps,
  'models' | 'ledger' | 'usage' | 'messenger' | 'announce' | 'reviewDueMs' | 'batchOptions'
>;

/**
 * Carries out decisions: the only place where a reward's money is paid out or given up.
 * The reward's moves determine what is done, whichever process wrote them, in their order. Every step is
 * safe to repeat. Purchases that are carried out at the same time share the commands of each step.
 */
export function createCarryOut(deps: CarryOutDeps) {
  const { models, ledger, usage, messenger, announce, reviewDueMs, batchOptions } = deps;
  const rewards = createBatchedRewards(models, batchOptions);
  const findMarkedRefunds = createFindMarkedRefunds(models);
  const markCarriedOut = createMarkCarriedOut(models);
  const settleRefunds = createSettleRefunds(models);
  const isWalletAwaited = createSharedReads<WalletRef, boolean>({}, (wallet) =>
    isAwaited(models, wallet),
  );
  const crossingsOf = createCrossings(models);

  /**
   * Carries out everything pending of a purchase: decides recorded refunds, follows an operator's
   * decision, expires the reward if its claim window is over, carries out the moves, and settles the
   * refunds.
   * @param at ISO 8601, workflow time; without it, the reward does not expire
   * @returns the reward afterwards
   */
  return async (ref: PurchaseRef, at?: string): Promise<RewardSnapshot> => {
    let reward = await findOrCreateReward(models, ref, rewards.find);
    const settled: SettledRefund[] = [];
    for (const event of await findMarkedRefunds(ref)) {
      const decided = await decideRefund(models, event, reward, reviewDueMs);
      settled.push({ event, decided });
      reward = decided.reward;
    }
    const review = await decidedReviewOf(models, reward);
    if (review) reward = await followDecision(models, review);
    if (at !== undefined) reward = await expireReward(models, reward, new Date(at));
    const carriedOut = await carryOutMoves(reward);
    await settleRefunds(settled);
    return toSnapshot(carriedOut);
  };

  async function carryOutMoves(from: RewardDoc): Promise<RewardDoc> {
    for (let reward = from; ; reward = await readReward(models, reward)) {
      for (const unfinished of unfinishedMoves(reward)) {
        await carryOutMove(toSnapshot(reward), unfinished);
      }
      await announce(factsOfMoves(reward, reward.carriedOut));
      const done = await markCarriedOut(reward);
      if (done) return done;
    }
  }

  /** Carries out the consequences of one move. */
  async function carryOutMove(
    reward: RewardSnapshot,
    { made, from }: UnfinishedMove<MadeMove>,
  ): Promise<void> {
    const { move } = made;
    const at = made.at.toISOString();
    if (move === 'RUN_SHORT') return;
    if (move === 'FUND') {
      if (reward.mode === 'LIVE')
        await announce(usageFacts(reward, await usage.meter(reward, at), at));
      return;
    }
    const effect = effectOf(from, move);
    if (effect === null) return;
    const hasMoney =
      effect === 'RELEASE'
        ? await isReserved(reward, from.funded, at)
        : reward.mode === 'LIVE' || (await reservationOf(ledger, reward)) !== null;
    if (hasMoney) {
      const moved = await ledger.of(reward.mode).append(rewardDraft(reward, effect, at));
      if ('entry' in moved && moved.entry) await announceRecovery(reward, moved.entry);
    }
    if (effect !== 'CLAIM') await giveUp(reward, from.funded, at);
  }

  /** Announces it if the returned money brings the funding back above the partner's threshold. */
  async function announceRecovery({ partnerId }: RewardSnapshot, entry: EntryDoc) {
    const crossings = await crossingsOf(partnerId, [entry], 'UP');
    await announce(await fundingFacts(usage, 'funding.recovered', crossings));
  }

  /** Whether the reward has money to give back. If not, voids its reservation, so that it never gets any. */
  async function isReserved(
    reward: RewardSnapshot,
    wasFunded: boolean,
    at: string,
  ): Promise<boolean> {
    const reservation = wasFunded
      ? await reservationOf(ledger, reward)
      : await voidReservation(ledger, reward, at);
    return reservation !== null;
  }

  /** Gives back the usage of the reward, and wakes its wallet's queue, whether or not money moved. */
  async function giveUp(reward: RewardSnapshot, wasFunded: boolean, at: string): Promise<void> {
    if (reward.mode === 'LIVE' && wasFunded) await usage.giveBack(reward, at);
    const wallet = walletOf(reward);
    const key = `${wallet.partnerId}/${walletIdOf(wallet)}`;
    if (await isWalletAwaited(key, wallet)) await messenger.wakeWallet(wallet);
  }
}
