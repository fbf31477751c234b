import { begin, recordTopUp, refund } from '../../domain/facts.ts';
import { createCommit } from '../../models/commit.ts';
import { newId } from '../../platform/ids.ts';
import { aReward } from './a-reward.ts';
import { patienceMs } from './patience.ts';
import type { Service } from './service.ts';

/** What happens to LIVE rewards at any instant, each in a process of its own. */
export function metering({ models, hashKey }: Pick<Service, 'models' | 'hashKey'>) {
  const depsAt = (at: string) => {
    const now = () => Date.parse(at);
    return { models, hashKey, now, commit: createCommit({ patienceMs, models, hashKey, now }) };
  };
  return {
    depsAt,

    /** Funds a new reward, whose money comes from a top-up of its own. @returns its id */
    async count(
      partnerId: string,
      points: number,
      at: string,
      id: string = newId('reward', Date.parse(at)),
      { commit } = depsAt(at),
    ): Promise<string> {
      const wallet = { mode: 'LIVE' as const, partnerId };
      const amountCents = points * 2;
      const made = aReward(wallet, { id, customer: `cus_${id}`, points, cents: amountCents });
      await commit({
        partnerId,
        wallet,
        rewardIds: [id],
        decide(draft, terms) {
          if (draft.rewards.get(id)) return;
          recordTopUp(draft, wallet, { amountCents, externalReference: id }, terms);
          begin(draft, made, terms);
        },
      });
      return id;
    },

    /** Refunds an unclaimed reward, so that its points are given back. Once. */
    async giveBack(
      partnerId: string,
      rewardId: string,
      at: string,
      { commit } = depsAt(at),
    ): Promise<void> {
      await commit({
        partnerId,
        wallet: { mode: 'LIVE', partnerId },
        rewardIds: [rewardId],
        decide(draft, terms) {
          const reward = draft.rewards.get(rewardId);
          const review = { reviewId: 'rev_none', openedAt: at, dueMs: 1 };
          if (reward) refund(draft, reward, terms, { refundEventId: newId('event'), review });
        },
      });
    },
  };
}
