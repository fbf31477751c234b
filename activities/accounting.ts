import { accountsOf } from '../domain/accounts.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { walletOf } from '../domain/wallet.ts';
import { createCrossings, isAwaited } from '../models/ledger/index.ts';
import type { EntryDoc } from '../models/schemas/entry.ts';
import { fundingFacts, usageFacts } from '../models/webhooks/money-facts.ts';
import { factsOfMoves } from '../models/webhooks/move-facts.ts';
import { createAccounting } from './account-in-order.ts';
import type { ActivityDeps } from './deps.ts';

/** What the accounting decided about a reward, and what the partner is to be told of it. */
export interface Accounted {
  reward: RewardSnapshot;
  /** Set where the reward waits for funding, first in the queue. */
  missingCents: number | null;
  /** Set where this very reservation took the funding below the partner's threshold. */
  lowBalanceCents: number | null;
  /** ISO 8601, when it was decided: by this run, or by one before it. */
  decidedAt: string;
}

/**
 * The activities that put money behind rewards, and take it away (docs/domain.md, Accounting). Each is safe
 * to repeat.
 */
export function accountingActivities(deps: ActivityDeps) {
  const { models, ledger, usage, messenger, announce } = deps;
  const accountInOrder = createAccounting(deps);
  const crossingsOf = createCrossings(models);

  return {
    /**
     * Reserves a reward's money, or puts the reward in the queue: while another reward of the wallet waits,
     * no later one is funded.
     * @param at ISO 8601, workflow time
     */
    async accountReward(reward: RewardSnapshot, at: string): Promise<Accounted> {
      const { reward: accounted, entry, stored, decidedAt } = await accountInOrder(reward, at);
      await announce(factsOfMoves(stored, 0));
      const outcome = await tell(accounted, entry, decidedAt);
      return { ...outcome, decidedAt };
    },
  };

  /** One that was cancelled before its money was reserved has no news. */
  async function tell(
    reward: RewardSnapshot,
    entry: EntryDoc | null,
    at: string,
  ): Promise<Omit<Accounted, 'decidedAt'>> {
    if (reward.funded) return await meterFunded(reward, entry, at);
    if (reward.status === 'AWAITING_FUNDING') return await joinLine(reward);
    return { reward, missingCents: null, lowBalanceCents: null };
  }

  /** @param reservation null where nothing had to be reserved */
  async function meterFunded(
    reward: RewardSnapshot,
    reservation: EntryDoc | null,
    at: string,
  ): Promise<Omit<Accounted, 'decidedAt'>> {
    if (reward.mode === 'LIVE') {
      await announce(usageFacts(reward, await usage.meter(reward, at), at));
    }
    const reservations = reservation ? [reservation] : [];
    const crossings = await crossingsOf(reward.partnerId, reservations, 'DOWN');
    await announce(await fundingFacts(usage, 'funding.low', crossings));
    const [crossing] = crossings;
    return { reward, missingCents: null, lowBalanceCents: crossing?.balanceCents ?? null };
  }

  async function joinLine(reward: RewardSnapshot): Promise<Omit<Accounted, 'decidedAt'>> {
    // Funds may have come between the decision and the place in the queue: let the wallet look again.
    await messenger.wakeWallet(walletOf(reward));
    return { reward, missingCents: await missingCentsOf(reward), lowBalanceCents: null };
  }

  /** Whoever stands behind the first in the queue waits for the same money: the partner knows already. */
  async function missingCentsOf(reward: RewardSnapshot): Promise<number | null> {
    const { partnerId, mode, rewardId, liabilityCents } = reward;
    const wallet = walletOf(reward);
    const [isBehindOthers, fundingCents] = await Promise.all([
      isAwaited(models, wallet, { before: rewardId }),
      ledger.of(mode).balanceOf(partnerId, accountsOf(wallet).funding),
    ]);
    const isShort = reward.status === 'AWAITING_FUNDING' && liabilityCents > fundingCents;
    return isShort && !isBehindOthers ? liabilityCents - fundingCents : null;
  }
}
