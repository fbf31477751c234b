import { accountsOf } from '../domain/accounts.ts';
import type { RewardSnapshot, WalletRef } from '../domain/events.ts';
import {
  createCrossings,
  nextInLine,
  references,
  reservationOf,
  reserveInOrder,
  rewardDraft,
} from '../models/ledger/index.ts';
import { toSnapshot } from '../models/rewards.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import type { ActivityDeps } from './deps.ts';

/** How many waiting rewards are funded in one go. */
const maxFundedAtOnce = 100;

/** A stretch of a wallet's line. */
export interface WaitingLine {
  /** First come first. */
  rewardIds: string[];
  /** What the wallet had before the line was read. */
  fundingCents: number;
}

/** What funding a stretch of the line came to. */
export interface FundedLine {
  /** What its rewards got of the money that was there before the line was read. */
  fundedCents: number;
  /** All of it was served: whoever stands behind it is next. */
  isServed: boolean;
  /** Money came back from rewards that had ended in the meantime: the line is worth another look. */
  cameBack: boolean;
  /** The reservations that took the funding below the partner's threshold. */
  lowBalances: { reward: RewardSnapshot; lowBalanceCents: number }[];
}

/** The activities that serve the line of a wallet. Each is safe to repeat. */
export function walletActivities({ models, ledger, messenger }: ActivityDeps) {
  const crossingsOf = createCrossings(models);
  return {
    /**
     * The next rewards in line, first come first. They are asked for apart from being funded, so that
     * a repeat of the funding, after its process died, looks after the same rewards.
     * @param after the last one served already; null to begin at the front
     */
    async findWaiting(wallet: WalletRef, after: string | null): Promise<WaitingLine> {
      const { partnerId, mode } = wallet;
      // In this order: whoever waited before this money came is in the line.
      const fundingCents = await ledger.of(mode).balanceOf(partnerId, accountsOf(wallet).funding);
      const rewardIds = await nextInLine(models, wallet, after, maxFundedAtOnce);
      return { rewardIds, fundingCents };
    },

    /**
     * Funds the rewards of a line, strictly first come, first served, as far as the money goes, and
     * tells their workflows. One that ended while it was being funded gives its money back.
     * @param rewardIds as `findWaiting` gave them
     * @param atMostCents of the money that was there before the line was read. What came since may be
     *   for somebody who joined the line before it did, in a place of an earlier purchase.
     * @param at ISO 8601, workflow time, of this one call
     */
    async fundWaiting(
      wallet: WalletRef,
      rewardIds: string[],
      atMostCents: number,
      at: string,
    ): Promise<FundedLine> {
      const { partnerId } = wallet;
      const find = () =>
        models.rewards
          .find({ partnerId, _id: { $in: rewardIds } })
          .sort({ _id: 1 })
          .lean();
      const line = (await find()).filter((reward) => !hasEnded(reward));
      const owned = await reservedByLostRounds(wallet, rewardIds, at);
      const costOf = ({ _id, liabilityCents }: RewardDoc) => (owned.has(_id) ? 0 : liabilityCents);
      const within = line.slice(0, reachOf(line.map(costOf), atMostCents));
      const waiting = within.filter(({ status }) => status === 'AWAITING_FUNDING');
      const asking = waiting.map((doc) => ({ reward: toSnapshot(doc), at }));
      const reservations = await reserveInOrder(ledger, wallet, asking, { isBehindOthers: false });
      const funded = waiting.filter((_, place) => reservations[place]?.isFunded);
      const unfunded = waiting.slice(funded.length);
      for (const { _id: rewardId, ...reward } of funded) {
        await messenger.signalFunded({ ...reward, rewardId });
      }
      // Read again, after the reservations: a purchase workflow that ends a reward writes its state
      // before it looks for a reservation to release, so that one of the two sees the other.
      const ended = (await find()).filter(hasEnded).map(toSnapshot);
      const gaveBack = await Promise.all(ended.map((reward) => giveBack(reward, at)));
      return {
        isServed: within.length === line.length && unfunded.length === 0,
        fundedCents: sumOf(within.map(costOf)) - sumOf(unfunded.map(costOf)),
        cameBack: gaveBack.includes(true),
        lowBalances: await lowBalances(wallet, rewardIds, at),
      };
    },
  };

  /**
   * The rewards whose money a round reserved that was lost before it could tell them. What this call
   * reserved, in an attempt before, is none of that.
   */
  async function reservedByLostRounds(
    { partnerId, mode }: WalletRef,
    rewardIds: string[],
    at: string,
  ) {
    const entries = await ledger
      .of(mode)
      .model.find({ partnerId, reference: { $in: reservationsOf(rewardIds) } })
      .lean();
    const before = entries.filter((entry) => entry.at.toISOString() !== at);
    return new Set(before.map(({ rewardId }) => rewardId));
  }

  /** @returns whether the reward had money to give back */
  async function giveBack(reward: RewardSnapshot, at: string): Promise<boolean> {
    if (!(await reservationOf(ledger, reward))) return false;
    await ledger.of(reward.mode).append(rewardDraft(reward, 'RELEASE', at));
    return true;
  }

  /** Found by the time they carry, so that a repeat finds what an earlier attempt reserved. */
  async function lowBalances(
    { partnerId, mode }: WalletRef,
    rewardIds: string[],
    at: string,
  ): Promise<FundedLine['lowBalances']> {
    const reserved = await ledger
      .of(mode)
      .model.find({
        partnerId,
        reference: { $in: reservationsOf(rewardIds) },
        at: new Date(at),
      })
      .sort({ _id: 1 })
      .lean();
    const crossings = await crossingsOf(partnerId, reserved);
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

const reservationsOf = (rewardIds: readonly string[]): string[] =>
  rewardIds.map((rewardId) => references.reward('RESERVE', rewardId));

/** How many of some costs, from the first on, an amount covers. */
function reachOf(costs: readonly number[], atMostCents: number): number {
  let leftCents = atMostCents;
  const short = costs.findIndex((cents) => {
    leftCents -= cents;
    return leftCents < 0;
  });
  return short === -1 ? costs.length : short;
}

const sumOf = (costs: readonly number[]): number => costs.reduce((sum, cents) => sum + cents, 0);

function hasEnded({ status }: RewardDoc): boolean {
  return status === 'CANCELLED' || status === 'EXPIRED';
}
