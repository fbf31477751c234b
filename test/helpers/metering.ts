import { begin, refund, topUp } from '../../domain/facts.ts';
import { createCommit } from '../../models/commit.ts';
import { newId } from '../../platform/ids.ts';
import { aReward } from './a-reward.ts';
import { patienceMs } from './connect-patiently.ts';
import type { Service } from './service.ts';

/** What happens to a service's LIVE rewards at any instant, each in a process of its own. */
export function metering({ models, hashKey, checkpoints }: Service) {
  const depsAt = (at: string) => {
    const now = () => Date.parse(at);
    return {
      models,
      hashKey,
      checkpoints,
      now,
      commit: createCommit({ patienceMs, models, hashKey, now }),
    };
  };
  return {
    depsAt,

    /** Funds a new reward, whose money comes from a top-up of its own. @returns its id */
    async count(partnerId: string, points: number, at: string): Promise<string> {
      const id = newId('reward', Date.parse(at));
      const wallet = { mode: 'LIVE' as const, partnerId };
      const made = aReward(wallet, { id, customer: `cus_${id}`, points, cents: points * 2 });
      await depsAt(at).commit({
        partnerId,
        wallet,
        rewardIds: [id],
        decide(draft, terms) {
          topUp(draft, wallet, { amountCents: points * 2, externalReference: id }, terms);
          begin(draft, made, terms);
        },
      });
      return id;
    },

    /** Refunds an unclaimed reward, so that its points are given back. */
    async giveBack(partnerId: string, rewardId: string, at: string): Promise<void> {
      await depsAt(at).commit({
        partnerId,
        wallet: { mode: 'LIVE', partnerId },
        rewardIds: [rewardId],
        decide(draft, terms) {
          const reward = draft.rewards.get(rewardId);
          if (reward === undefined) throw new Error(`there is no ${rewardId}`);
          const review = { reviewId: 'rev_none', openedAt: at, dueMs: 1 };
          refund(draft, reward, terms, { refundEventId: newId('event'), review });
        },
      });
    },
  };
}
