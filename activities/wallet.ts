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
export function walletActivities({ models, ledger, messenger }: ActivityDeps) {
  const crossingsOf = createCrossings(models);
  return {
    /**
     * The next rewards in line, first come first. They are asked for apart from being funded, so that
     * a repeat of the funding, after its process died, looks after the same rewards.
     * @param after the last one served already; null to begin at the front
     */
    async findWaiting(wallet: WalletRef, after: string | null): Promise<string[]> {
      return await nextInLine(models, wallet, after, maxFundedAtOnce);
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
      const asking = waiting.map((doc) => ({ reward: toSnapshot(doc), at }));
      const reservations = await reserveInOrder(ledger, wallet, asking, { isBehindOthers: false });
      const funded = waiting.filter((_, place) => reservations[place]?.isFunded);
      for (const { _id: rewardId, ...reward } of funded) {
        await messenger.signalFunded({ ...reward, rewardId });
      }
      // Read again, after the reservations: a purchase workflow that ends a reward writes its state
      // before it looks for a reservation to release, so that one of the two sees the other.
      const ended = (await find()).filter(hasEnded).map(toSnapshot);
      const gaveBack = await Promise.all(ended.map((reward) => giveBack(reward, at)));
      return {
        isServed: funded.length === waiting.length,
        cameBack: gaveBack.includes(true),
        lowBalances: await lowBalances(wallet, line, at),
      };
    },
  };

  /** @returns whether the reward had money to give back */
  async function giveBack(reward: RewardSnapshot, at: string): Promise<boolean> {
    if (!(await reservationOf(ledger, reward))) return false;
    await ledger.of(reward.mode).append(rewardDraft(reward, 'RELEASE', at));
    return true;
  }

  /** Found by the time they carry, so that a repeat finds what an earlier attempt reserved. */
  async function lowBalances(
    { partnerId, mode }: WalletRef,
    line: string[],
    at: string,
  ): Promise<FundedLine['lowBalances']> {
    const reserved = await ledger
      .of(mode)
      .model.find({
        partnerId,
        reference: { $in: line.map((rewardId) => references.reward('RESERVE', rewardId)) },
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

function hasEnded({ status }: RewardDoc): boolean {
  return status === 'CANCELLED' || status === 'EXPIRED';
}
