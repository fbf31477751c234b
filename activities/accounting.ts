import { accountsOf, walletOf } from '../domain/postings.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { createCrossings, isAwaited } from '../models/ledger/index.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import { factsOfMoves, fundingFacts, usageFacts } from '../models/webhooks/facts.ts';
import { createAccounting } from './account-in-order.ts';
import type { ActivityDeps } from './deps.ts';

/** What was decided about a reward's funding, and what to notify the partner of. */
export interface AccountingResult {
  reward: RewardSnapshot;
  /** Set if the reward waits for funding and is first in the queue. */
  missingCents: number | null;
  /** Set if this reservation took the funding below the partner's threshold. */
  lowBalanceCents: number | null;
  /** ISO 8601, when it was decided, possibly by an earlier attempt. */
  decidedAt: string;
}

/** Funds new rewards (docs/domain.md, Accounting). Safe to repeat. */
export function createAccountReward(deps: ActivityDeps) {
  const { models, ledger, usage, messenger, announce } = deps;
  const accountInOrder = createAccounting(deps);
  const crossingsOf = createCrossings(models);

  /**
   * Reserves a reward's money or puts the reward into its wallet's queue: while another reward
   * waits, no later one is funded.
   * @param at ISO 8601, workflow time
   */
  return async (reward: RewardSnapshot, at: string): Promise<AccountingResult> => {
    const { reward: accounted, entry, stored, decidedAt } = await accountInOrder(reward, at);
    await announce(factsOfMoves(stored, 0));
    const outcome = await report(accounted, entry, decidedAt);
    return { ...outcome, decidedAt };
  };

  /** A reward that was cancelled before its money was reserved needs no notice. */
  async function report(
    reward: RewardSnapshot,
    entry: EntryDoc | null,
    at: string,
  ): Promise<Omit<AccountingResult, 'decidedAt'>> {
    if (reward.funded) return await meterFunded(reward, entry, at);
    if (reward.status === 'AWAITING_FUNDING') return await reportShortfall(reward);
    return { reward, missingCents: null, lowBalanceCents: null };
  }

  /** @param reservation null if nothing had to be reserved */
  async function meterFunded(
    reward: RewardSnapshot,
    reservation: EntryDoc | null,
    at: string,
  ): Promise<Omit<AccountingResult, 'decidedAt'>> {
    if (reward.mode === 'LIVE') {
      await announce(usageFacts(reward, await usage.meter(reward, at), at));
    }
    const reservations = reservation ? [reservation] : [];
    const crossings = await crossingsOf(reward.partnerId, reservations, 'DOWN');
    await announce(await fundingFacts(usage, 'funding.low', crossings));
    const [crossing] = crossings;
    return { reward, missingCents: null, lowBalanceCents: crossing?.balanceCents ?? null };
  }

  async function reportShortfall(
    reward: RewardSnapshot,
  ): Promise<Omit<AccountingResult, 'decidedAt'>> {
    // Funds may have arrived between the decision and the reward joining the queue: have the wallet
    // check.
    await messenger.wakeWallet(walletOf(reward));
    return { reward, missingCents: await missingCentsOf(reward), lowBalanceCents: null };
  }

  /**
   * What a waiting reward lacks. Null for rewards further back in the queue: the partner already
   * knows that funds are short.
   */
  async function missingCentsOf(reward: RewardSnapshot): Promise<number | null> {
    const { partnerId, mode, rewardId, liabilityCents } = reward;
    const wallet = walletOf(reward);
    const [isBehindOthers, fundingCents] = await Promise.all([
      isAwaited(models, wallet, { before: rewardId }),
      ledger.of(mode).balanceOf(partnerId, accountsOf(wallet).funding),
    ]);
    return liabilityCents > fundingCents && !isBehindOthers ? liabilityCents - fundingCents : null;
  }
}
