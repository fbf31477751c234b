import { type RewardSnapshot, type WalletRef, walletIdOf } from '../domain/events.ts';
import { crossingsOf } from '../models/ledger/low-balance.ts';
import {
  draftOf,
  referencesOfReward,
  reservationOf,
  reserveOrRefuse,
  type Shortfall,
  shortOfFunds,
} from '../models/ledger/settlement.ts';
import { toSnapshot } from '../models/rewards.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import type { ActivityDeps } from './deps.ts';

/** How many waiting rewards are funded in one go. */
const maxFundedAtOnce = 100;

/** What funding a stretch of the line came to. */
export interface FundedLine {
  /** All of it was served: whoever stands behind it is next. */
  isServed: boolean;
  /** Money came back from rewards that had ended in the meantime: the line is worth another look. */
  cameBack: boolean;
  /** The reservations that took the funding below the partner's threshold. */
  lowBalances: { reward: RewardSnapshot; lowBalanceCents: number }[];
}

/** The activities that serve the line of a wallet. Each is safe to repeat. */
export function walletActivities({ models, books, messenger }: ActivityDeps) {
  return {
    /**
     * The next rewards in line, first come first. They are asked for apart from being funded, so that
     * a repeat of the funding, after its process died, looks after the same rewards.
     * @param after the last one served already; null to begin at the front
     */
    async findWaiting(wallet: WalletRef, after: string | null): Promise<string[]> {
      const walletId = walletIdOf(wallet);
      const { partnerId } = wallet;
      const waiting = await models.rewards
        .find(
          {
            partnerId,
            walletId,
            status: 'AWAITING_FUNDING',
            ...(after !== null && { _id: { $gt: after } }),
          },
          { _id: 1 },
        )
        .sort({ _id: 1 })
        .limit(maxFundedAtOnce)
        .lean();
      return waiting.map(({ _id }) => _id);
    },

    /**
     * Funds the rewards of a line, strictly first come, first served, as far as the money goes, and
     * tells their workflows. One that ended while it was being funded gives its money back.
     * @param line reward ids, as `findWaiting` gave them
     * @param at ISO 8601, workflow time, of this one call
     */
    async fundWaiting(wallet: WalletRef, line: string[], at: string): Promise<FundedLine> {
      const { partnerId } = wallet;
      const find = () =>
        models.rewards
          .find({ partnerId, _id: { $in: line } })
          .sort({ _id: 1 })
          .lean();
      const waiting = (await find()).filter(({ status }) => status === 'AWAITING_FUNDING');
      const refused = await reserveInOrder(wallet, waiting.map(toSnapshot), at);
      for (const { _id, workflowId, purchaseEventId } of waiting) {
        if (refused.has(_id)) break;
        await messenger.tellFunded({ workflowId, partnerId, purchaseEventId });
      }
      // Read again, after the reservations: whoever cancels looks for one after the cancellation.
      const ended = (await find()).filter(hasEnded).map(toSnapshot);
      const gaveBack = await Promise.all(ended.map((reward) => giveBack(reward, at)));
      return {
        isServed: refused.size === 0,
        cameBack: gaveBack.includes(true),
        lowBalances: await lowBalances(wallet, line, at),
      };
    },
  };

  /** @returns the rewards that the money does not reach: the first of them, and all behind it */
  async function reserveInOrder(
    { mode }: WalletRef,
    waiting: RewardSnapshot[],
    at: string,
  ): Promise<Set<string>> {
    // The place in line of the first that the money does not reach; nobody behind it is served.
    let shortAt = Number.POSITIVE_INFINITY;
    const outcomes = await Promise.all(
      waiting.map((reward, place) =>
        books.chainOf(mode).append<Shortfall>(
          draftOf<Shortfall>(reward, 'RESERVE', at, (balanceOf) => {
            if (shortAt < place) return shortOfFunds;
            const decided = reserveOrRefuse(reward, balanceOf);
            shortAt = 'refused' in decided ? place : Number.POSITIVE_INFINITY;
            return decided;
          }),
        ),
      ),
    );
    const refused = waiting.filter((_, place) => 'refused' in (outcomes[place] ?? {}));
    return new Set(refused.map(({ rewardId }) => rewardId));
  }

  /** @returns whether the reward had money to give back */
  async function giveBack(reward: RewardSnapshot, at: string): Promise<boolean> {
    if (!(await reservationOf(books, reward))) return false;
    await books.chainOf(reward.mode).append(draftOf(reward, 'RELEASE', at));
    return true;
  }

  /** Found by the time they carry, so that a repeat finds what an earlier attempt reserved. */
  async function lowBalances(
    { partnerId, mode }: WalletRef,
    line: string[],
    at: string,
  ): Promise<FundedLine['lowBalances']> {
    const reserved = await books
      .chainOf(mode)
      .model.find({
        partnerId,
        reference: { $in: line.flatMap(referencesOfReward) },
        kind: 'RESERVE',
        at: new Date(at),
      })
      .sort({ _id: 1 })
      .lean();
    const crossings = await crossingsOf(models, partnerId, reserved);
    return await Promise.all(
      crossings.map(async ({ entry, lowBalanceCents }) => {
        const reward = await models.rewards
          .findOne({ partnerId, _id: entry.rewardId ?? '' })
          .lean()
          .orFail();
        return { reward: toSnapshot(reward), lowBalanceCents };
      }),
    );
  }
}

function hasEnded({ status }: RewardDoc): boolean {
  return status === 'CANCELLED' || status === 'EXPIRED';
}
