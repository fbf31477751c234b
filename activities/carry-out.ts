import type { PurchaseRef } from '../domain/purchase.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { effectOf, type UnfinishedMove, unfinishedMoves } from '../domain/reward-states.ts';
import { type WalletRef, walletIdOf, walletOf } from '../domain/wallet.ts';
import { createFindMarkedRefunds } from '../models/events/pending-events.ts';
import { createSettleRefunds, type SettledRefund } from '../models/events/settle-refunds.ts';
import {
  createCrossings,
  isAwaited,
  reservationOf,
  rewardDraft,
  voidReservation,
} from '../models/ledger/index.ts';
import { createNoteCarriedOut } from '../models/rewards/carried-out.ts';
import { findOrCreateReward } from '../models/rewards/create.ts';
import { readReward, toSnapshot } from '../models/rewards/move.ts';
import { decideRefund } from '../models/rewards/refund.ts';
import { decidedReviewOf, followDecision } from '../models/rewards/reviews.ts';
import { expireReward } from '../models/rewards/settle.ts';
import { createRewardsTogether } from '../models/rewards/together.ts';
import type { EntryDoc } from '../models/schemas/entry.ts';
import type { MadeMove, RewardDoc } from '../models/schemas/reward.ts';
import { fundingFacts, usageFacts } from '../models/webhooks/money-facts.ts';
import { factsOfMoves } from '../models/webhooks/move-facts.ts';
import { createSharedReads } from '../platform/batched-reads.ts';
import type { ActivityDeps } from './deps.ts';

export type CarryOutDeps = Pick<
  ActivityDeps,
  'models' | 'ledger' | 'usage' | 'messenger' | 'announce' | 'reviewDueMs' | 'batchOptions'
>;

/**
 * The activities that do what was decided: the one place in which a reward's money is paid out or given
 * up. What is to be done stands on the reward, whoever moved it, and is done in the order of the moves.
 * Every step is safe to repeat. Purchases that are carried out at the same time share their commands, step by step.
 */
export function carryOutActivities(deps: CarryOutDeps) {
  const { models, ledger, usage, messenger, announce, reviewDueMs, batchOptions } = deps;
  const rewards = createRewardsTogether(models, batchOptions);
  const findMarkedRefunds = createFindMarkedRefunds(models);
  const noteCarriedOut = createNoteCarriedOut(models);
  const settleRefunds = createSettleRefunds(models);
  const isWalletAwaited = createSharedReads<WalletRef, boolean>({}, (wallet) =>
    isAwaited(models, wallet),
  );
  const crossingsOf = createCrossings(models);

  return {
    /**
     * Carries out all that is unfinished of a purchase: decides the refunds that were recorded and not
     * decided, follows an operator's decision, ends the claim window where it is over by what is stored, does
     * what the moves ask for, and settles the refunds.
     * @param at ISO 8601, workflow time; without it no window ends
     * @returns the reward as it stands
     */
    async carryOut(ref: PurchaseRef, at?: string): Promise<RewardSnapshot> {
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
    },
  };

  async function carryOutMoves(from: RewardDoc): Promise<RewardDoc> {
    for (let reward = from; ; reward = await readReward(models, reward)) {
      for (const unfinished of unfinishedMoves(reward)) {
        await bringAbout(toSnapshot(reward), unfinished);
      }
      await announce(factsOfMoves(reward, reward.carriedOut));
      const done = await noteCarriedOut(reward);
      if (done) return done;
    }
  }

  /** Does what one move asks for. */
  async function bringAbout(
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

  /** What comes back may be what the funding was short of. */
  async function announceRecovery({ partnerId }: RewardSnapshot, entry: EntryDoc) {
    const crossings = await crossingsOf(partnerId, [entry], 'UP');
    await announce(await fundingFacts(usage, 'funding.recovered', crossings));
  }

  /** One that ended without its money has none to give back, and is to get none any more. */
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

  /** The reward holds its points and its place in the queue no longer, whether or not money moved. */
  async function giveUp(reward: RewardSnapshot, wasFunded: boolean, at: string): Promise<void> {
    if (reward.mode === 'LIVE' && wasFunded) await usage.giveBack(reward, at);
    const wallet = walletOf(reward);
    const key = `${wallet.partnerId}/${walletIdOf(wallet)}`;
    if (await isWalletAwaited(key, wallet)) await messenger.wakeWallet(wallet);
  }
}
