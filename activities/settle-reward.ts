import { claimExpiry } from '../domain/claim-window.ts';
import { type RewardSnapshot, walletIdOf } from '../domain/events.ts';
import { bookOf } from '../domain/postings.ts';
import type { EntryDoc } from '../models/ledger/chain.ts';
import { crossingsOf } from '../models/ledger/low-balance.ts';
import {
  draftOf,
  reservationOf,
  reserveOrRefuse,
  type Shortfall,
  shortOfFunds,
} from '../models/ledger/settlement.ts';
import { moveReward, toSnapshot } from '../models/rewards.ts';
import type { ActivityDeps } from './deps.ts';

/** What the accounting decided about a reward, and what the partner is to be told of it. */
export interface Accounted {
  reward: RewardSnapshot;
  /** Set where the reward waits for funding, first in line. */
  missingCents: number | null;
  /** Set where this very reservation took the funding below the partner's threshold. */
  lowBalanceCents: number | null;
}

/** The activities that put money behind rewards (domain, Accounting). Each is safe to repeat. */
export function accountingActivities({ models, books, settle, messenger }: ActivityDeps) {
  return {
    /**
     * Reserves a reward's money, or puts the reward in line: while another reward of the wallet waits,
     * no later one is funded.
     * @param at ISO 8601, workflow time
     */
    async accountReward(reward: RewardSnapshot, at: string): Promise<Accounted> {
      const earlier = await movedBefore(reward);
      if (earlier?.funded) return await isFunded(earlier, await reservationOf(books, earlier), at);
      if (earlier) return await waits(earlier);
      const walletId = walletIdOf(reward);
      let next = reward;
      const fund = async (): Promise<void> => {
        next = await moveReward(models, reward, 'FUND', at);
      };
      if (!(await books.isFundedFrom(reward))) {
        await fund();
        return await isFunded(next, null, at);
      }
      const outcome = await books.chainOf(reward.mode).append<Shortfall>({
        ...draftOf<Shortfall>(reward, 'RESERVE', at, (balanceOf, waiting) => {
          const decided = waiting.has(walletId) ? shortOfFunds : reserveOrRefuse(reward, balanceOf);
          if ('refused' in decided) waiting.add(walletId);
          return decided;
        }),
        // Within the batch, so that the next one sees who waits.
        settle: async (decided) => {
          if ('refused' in decided) next = await moveReward(models, reward, 'RUN_SHORT', at);
          else await fund();
        },
      });
      if ('refused' in outcome) return await waits(next);
      return await isFunded(next, outcome.entry, at);
    },

    /** Makes a move of the state table, with what it does to the money. */
    settleReward: settle,

    /** A waiting reward was funded: its claim window starts anew, since nobody could claim it before. */
    async topUpReward(reward: RewardSnapshot, at: string): Promise<RewardSnapshot> {
      const { partnerId, rewardId } = reward;
      const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
      const rule = await models.earningRules
        .findOne({ partnerId, _id: stored.arithmetic.ruleId })
        .lean()
        .orFail();
      const funded = await moveReward(models, reward, 'TOP_UP', at, {
        claimExpiresAt: claimExpiry(at, rule.claimWindow),
      });
      await count(funded, at);
      return funded;
    },
  };

  /** @param reservation null where nothing had to be reserved */
  async function isFunded(
    reward: RewardSnapshot,
    reservation: EntryDoc | null,
    at: string,
  ): Promise<Accounted> {
    await count(reward, at);
    const [crossing] = await crossingsOf(
      models,
      reward.partnerId,
      reservation ? [reservation] : [],
    );
    return { reward, missingCents: null, lowBalanceCents: crossing?.lowBalanceCents ?? null };
  }

  /** Whoever stands behind the first in line waits for the same money: the partner knows already. */
  async function waits(reward: RewardSnapshot): Promise<Accounted> {
    // Funds may have come between the decision and the place in line: let the wallet look again.
    await messenger.wakeWallet(reward);
    const { partnerId, mode, rewardId, integrationId, liabilityCents } = reward;
    const walletId = walletIdOf(reward);
    const [ahead, fundingCents] = await Promise.all([
      models.rewards.exists({
        partnerId,
        walletId,
        status: 'AWAITING_FUNDING',
        _id: { $lt: rewardId },
      }),
      books.chainOf(mode).balanceOf(partnerId, bookOf(mode, integrationId).funding),
    ]);
    const isShort = reward.status === 'AWAITING_FUNDING' && liabilityCents > fundingCents;
    const missingCents = isShort && !ahead ? liabilityCents - fundingCents : null;
    return { reward, missingCents, lowBalanceCents: null };
  }

  /** LIVE points count against the plan, in the period in which they were funded. */
  async function count(reward: RewardSnapshot, at: string): Promise<void> {
    if (reward.mode === 'LIVE') await books.usage.meter(reward, at);
  }

  /**
   * The reward, where an earlier attempt moved it and did not live to say so. What that one decided
   * stands, also where it wrote nothing into the books, since the reward costs nothing.
   */
  async function movedBefore(reward: RewardSnapshot): Promise<RewardSnapshot | undefined> {
    const { partnerId, rewardId, version } = reward;
    const stored = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
    const move = stored.moves[version]?.move;
    const isMoved = stored.version === version + 1 && (move === 'FUND' || move === 'RUN_SHORT');
    return isMoved ? toSnapshot(stored) : undefined;
  }
}
