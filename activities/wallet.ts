import pMap from 'p-map';
import { claimExpiry } from '../domain/earning-rules.ts';
import { accountsOf, type WalletRef } from '../domain/postings.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import {
  createCrossings,
  nextInQueue,
  references,
  reserveInOrder,
} from '../models/ledger/index.ts';
import { toSnapshot } from '../models/rewards/move.ts';
import { fundWaitingReward } from '../models/rewards/reward-moves.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { fundingFacts } from '../models/webhooks/facts.ts';
import { workflowRefOfReward } from '../temporal/purchase-start.ts';
import type { ActivityDeps } from './deps.ts';

/** How many waiting rewards are funded at once, and how many of them are written concurrently. */
const maxFundedAtOnce = 100;
const maxInFlight = 10;

/** A page of a wallet's queue. */
export interface WaitingPage {
  /** In queue order. */
  rewardIds: string[];
  /** The wallet's funding before the queue was read. */
  fundingCents: number;
}

/** The result of funding a page of the queue. */
export interface FundedPage {
  /** How much of the money that was there before the queue was read went to its rewards. */
  fundedCents: number;
  /** Whether the whole page was served, so that the next page follows. */
  isServed: boolean;
  lowBalances: { reward: RewardSnapshot; lowBalanceCents: number }[];
}

/** The activities that serve a wallet's queue. Safe to repeat. */
export function walletActivities({ models, ledger, usage, messenger, announce }: ActivityDeps) {
  const crossingsOf = createCrossings(models);
  return {
    /**
     * The next rewards in the queue. Finding them is separate from funding them, so that a retry of
     * the funding, after its process died, handles the same rewards.
     * @param after the last one already served; null to begin at the front
     */
    async findWaiting(wallet: WalletRef, after: string | null): Promise<WaitingPage> {
      const { partnerId, mode } = wallet;
      // Read in this order: every reward that was waiting before this money arrived is in the
      // queue.
      const fundingCents = await ledger.of(mode).balanceOf(partnerId, accountsOf(wallet).funding);
      const rewardIds = await nextInQueue(models, wallet, after, maxFundedAtOnce);
      return { rewardIds, fundingCents };
    },

    /**
     * Funds the rewards of a page, strictly first come, first served, as far as the money goes, and
     * signals their workflows. A reward that ended meanwhile stays ended: carrying that out
     * releases what was reserved.
     * @param rewardIds from `findWaiting`
     * @param atMostCents the money that was there before the queue was read. Money that arrived since
     *   is not used: before it arrived, a reward of an earlier purchase may have joined the queue.
     * @param at ISO 8601, workflow time, unique to this call
     */
    async fundWaiting(
      wallet: WalletRef,
      rewardIds: string[],
      atMostCents: number,
      at: string,
    ): Promise<FundedPage> {
      const { partnerId } = wallet;
      const found = await models.rewards
        .find({ partnerId, _id: { $in: rewardIds } })
        .sort({ _id: 1 });
      const open = found.filter((reward) => !hasEnded(reward));
      const owned = await reservedByLostRounds(wallet, rewardIds, at);
      const costOf = ({ _id, liabilityCents }: RewardDoc) => (owned.has(_id) ? 0 : liabilityCents);
      const within = open.slice(0, affordableCount(open.map(costOf), atMostCents));
      const waiting = within.filter(({ status }) => status === 'AWAITING_FUNDING');
      const requests = waiting.map((doc) => ({ reward: toSnapshot(doc), at }));
      const reservations = await reserveInOrder(ledger, wallet, requests, {
        isBehindOthers: false,
      });
      const funded = waiting.filter((_, place) => reservations[place]?.isFunded);
      await markFunded(funded, at);
      // Not funded: too little was left, or the reward ended meanwhile.
      const notFunded = waiting.filter((_, place) => !reservations[place]?.isFunded);
      const endedIds = notFunded.length === 0 ? new Set() : await endedOf(partnerId, notFunded);
      const unfunded = notFunded.filter(({ _id }) => !endedIds.has(_id));
      return {
        isServed: within.length === open.length && unfunded.length === 0,
        fundedCents: sumOf(within.map(costOf)) - sumOf(notFunded.map(costOf)),
        lowBalances: await lowBalances(wallet, rewardIds, at),
      };
    },
  };

  /**
   * The rewards whose money was reserved by an earlier call that was lost before it could mark them
   * funded. Reservations of earlier attempts of this call do not count.
   */
  async function reservedByLostRounds(
    { partnerId, mode }: WalletRef,
    rewardIds: string[],
    at: string,
  ) {
    const entries = await ledger
      .of(mode)
      .model.find({ partnerId, reference: { $in: reservationsOf(rewardIds) }, kind: 'RESERVE' });
    const before = entries.filter((entry) => entry.at.toISOString() !== at);
    return new Set(before.map(({ rewardId }) => rewardId));
  }

  /** Marks rewards as funded whose money is reserved, and signals their workflows. */
  async function markFunded(funded: readonly RewardDoc[], at: string): Promise<void> {
    const [first] = funded;
    if (first === undefined) return;
    const { partnerId } = first;
    const ruleIds = [...new Set(funded.map(({ arithmetic }) => arithmetic.ruleId))];
    const rules = await models.earningRules.find({ partnerId, _id: { $in: ruleIds } });
    const windowOf = new Map(rules.map(({ _id, claimWindow }) => [_id, claimWindow]));
    await pMap(
      funded,
      async (reward) => {
        const claimWindow = windowOf.get(reward.arithmetic.ruleId);
        if (claimWindow === undefined) throw new Error(`the rule of ${reward._id} does not exist`);
        const claimExpiresAt = new Date(claimExpiry(at, claimWindow));
        const moved = await fundWaitingReward(models, reward, { at: new Date(at), claimExpiresAt });
        if (moved.funded) await messenger.signalPurchase(workflowRefOfReward(moved), 'funded');
      },
      { concurrency: maxInFlight },
    );
  }

  async function endedOf(partnerId: string, rewards: readonly RewardDoc[]): Promise<Set<string>> {
    const ids = rewards.map(({ _id }) => _id);
    const found = await models.rewards.find({ partnerId, _id: { $in: ids } });
    return new Set(found.filter(hasEnded).map(({ _id }) => _id));
  }

  /** Finds reservations by their time, so that a retry finds what an earlier attempt reserved. */
  async function lowBalances(
    { partnerId, mode }: WalletRef,
    rewardIds: string[],
    at: string,
  ): Promise<FundedPage['lowBalances']> {
    const reserved = await ledger.of(mode).model.find({
      partnerId,
      reference: { $in: reservationsOf(rewardIds) },
      kind: 'RESERVE',
      at: new Date(at),
    });
    const crossings = await crossingsOf(partnerId, reserved, 'DOWN');
    await announce(await fundingFacts(usage, 'funding.low', crossings));
    return await Promise.all(
      crossings.map(async ({ entry, balanceCents }) => {
        const reward = await models.rewards
          .findOne({ partnerId, _id: entry.rewardId ?? '' })
          .orFail();
        return { reward: toSnapshot(reward), lowBalanceCents: balanceCents };
      }),
    );
  }
}

const reservationsOf = (rewardIds: readonly string[]): string[] =>
  rewardIds.map((rewardId) => references.reward('RESERVE', rewardId));

/** How many of these costs, from the first on, an amount covers. */
function affordableCount(costs: readonly number[], atMostCents: number): number {
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
