import {
  begin,
  begun,
  expire,
  fundNext,
  lookedAt,
  mature,
  upholdByPolicy,
} from '../domain/facts.ts';
import { type WalletRef, walletOf } from '../domain/postings.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import { policyDecision } from '../domain/review.ts';
import {
  canMove,
  isClaimLinkDue,
  isMature,
  type Reward,
  type RewardSnapshot,
} from '../domain/reward.ts';
import type { Fact } from '../models/commit.ts';
import { clearDue } from '../models/due.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { rewardOf } from '../models/rewards/create.ts';
import { toSnapshot } from '../models/rewards/snapshot.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import { settled } from '../models/store/settled.ts';
import { reviewAnnounced } from '../models/webhooks/announcements.ts';
import type { ActivityDeps } from './deps.ts';
import type { CustomerMessages } from './messages.ts';

/** The input of a step, in addition to the purchase. */
export interface StepInput {
  /** ISO 8601, workflow time. */
  at: string;
  /** ISO 8601, the end of the claim window for which the claim link was sent or is being sent. */
  offeredUntil: string | null;
}

/** What a step did. */
export interface StepResult {
  /** The reward afterwards. */
  reward: RewardSnapshot;
  /**
   * Whether the claim link became due: SENT at the first attempt, or UNSENT, so that it is still to be
   * sent. Null if it was not due.
   */
  offer: 'SENT' | 'UNSENT' | null;
}

/** The steps of a purchase's workflow. Safe to repeat. */
export function purchaseActivities(
  {
    models,
    commit,
    now,
    databaseTime,
  }: Pick<ActivityDeps, 'models' | 'commit' | 'now' | 'databaseTime'>,
  { trySend }: Pick<CustomerMessages, 'trySend'>,
) {
  return {
    /**
     * Begins the purchase: creates its reward, with its money or in the queue for it, and tries once to
     * send the claim link.
     */
    async begin(
      { partnerId, purchaseEventId }: PurchaseRef,
      input: StepInput,
    ): Promise<StepResult> {
      const event = await readOrderEvent(models, { partnerId, _id: purchaseEventId });
      const made = rewardOf(event);
      const reward = await commit({
        partnerId,
        wallet: walletOf(made),
        rewardIds: [made._id],
        made,
        decide(draft, terms) {
          const filter = { partnerId, _id: purchaseEventId };
          draft.update({ of: 'orderEvents', filter, change: { $set: { due: null } } });
          return lookedAt(draft, begin(draft, made, terms));
        },
      });
      return await told(reward, input, event);
    },

    /**
     * Looks at what is stored now, and with that has acted on what the workflow was told. Ends the hold or the
     * claim window of an unclaimed reward, if it is over by now. One step does both: a replay may see a signal
     * before the timer that it came after (docs/decisions/005).
     */
    async look(ref: PurchaseRef, input: StepInput): Promise<StepResult> {
      const found = await readReward(ref);
      if (isOver(found, input)) {
        const end = windowEnd(found, await databaseTime(found.claimExpiresAt));
        const ended = await commit({
          ...end,
          decide: (draft, terms) => lookedAt(draft, end.decide(draft, terms)),
        });
        return await told(ended, input);
      }
      if (isPolicyDue(found, input)) {
        return await told(await upholdNow(found), input);
      }
      if (isMature(found, new Date(input.at))) {
        const at = await databaseTime(found.claimableFrom);
        const matured = await commit({
          partnerId: found.partnerId,
          wallet: walletOf(found),
          rewardIds: [found._id],
          decide: (draft, terms) =>
            lookedAt(draft, mature(draft, begun(draft, found._id, terms), { ...terms, at })),
        });
        return await told(matured, input);
      }
      await clearDue(models, { of: 'rewards', document: found });
      return await told(found, input);
    },
  };

  async function readReward({ partnerId, purchaseEventId }: PurchaseRef): Promise<Reward> {
    const reward = await models.rewards.collection.findOne<Reward>(
      { partnerId, purchaseEventId },
      settled,
    );
    if (reward === null) throw new Error(`${purchaseEventId} has not begun`);
    return reward;
  }

  /** The time of a refund policy has come: it takes the points back or, if some are gone, operators decide. */
  async function upholdNow(found: Reward): Promise<Reward> {
    const { partnerId, _id: rewardId, review } = found;
    const upholdsAt = review?.policy?.upholdsAt ?? '';
    const at = await databaseTime(new Date(upholdsAt));
    const filter = { partnerId, _id: review?.reviewId ?? '' };
    const stored = await models.reviews.findOne(filter).orFail();
    return await commit({
      partnerId,
      wallet: walletOf(found),
      rewardIds: [rewardId],
      readsHoldings: true,
      decide(draft, terms) {
        const { did, reward } = upholdByPolicy(draft, begun(draft, rewardId, terms), {
          ...terms,
          at,
        });
        const policyId = reward.moves.at(-1)?.policyId ?? '';
        if (did === 'UPHELD') {
          const decision = policyDecision(policyId, at);
          draft.update({
            of: 'reviews',
            filter,
            change: { $set: { status: 'DECIDED', decision } },
          });
        } else if (did === 'PUT_TO_OPERATORS') {
          draft.update({ of: 'reviews', filter, change: { $set: { status: 'OPEN' } } });
          if (reward.mode === 'LIVE') draft.announce(reviewAnnounced('review.waiting', stored));
        }
        return lookedAt(draft, reward);
      },
    });
  }

  /**
   * The claim link is attempted briefly: a slow or unavailable mail server costs little here. A step
   * that was retried for long may come after the claim window.
   */
  async function told(
    reward: Reward,
    { at, offeredUntil }: StepInput,
    event?: OrderEventDoc,
  ): Promise<StepResult> {
    const snapshot = toSnapshot(reward);
    if (!isClaimLinkDue(snapshot, offeredUntil, Math.max(Date.parse(at), now()))) {
      return { reward: snapshot, offer: null };
    }
    const isSent = await trySend(snapshot, { purchase: event, stored: reward }).catch(() => false);
    return { reward: snapshot, offer: isSent ? 'SENT' : 'UNSENT' };
  }
}

/** Whether the workflow has waited for the time of a refund policy. */
const isPolicyDue = ({ state, review }: Reward, { at }: StepInput): boolean =>
  state === 'IN_REVIEW' && review?.policy !== undefined && review.policy.upholdsAt <= at;

/** Whether the workflow has waited for the end of an open window. */
const isOver = ({ state, claimExpiresAt }: Reward, { at }: StepInput): boolean =>
  canMove(state, 'EXPIRE') && claimExpiresAt.getTime() <= Date.parse(at);

/** The end of an unclaimed reward's window, if it is over at this time. */
export function windowEnd(
  found: Pick<Reward, '_id' | 'partnerId' | 'integrationId' | 'mode'>,
  at: Date,
): Fact<Reward> {
  const { _id: rewardId, partnerId } = found;
  return {
    partnerId,
    wallet: walletOf(found),
    rewardIds: [rewardId],
    decide: (draft, terms) => expire(draft, begun(draft, rewardId, terms), { ...terms, at }),
  };
}

/** Funds the next rewards in a wallet's queue, if its money suffices. */
export async function fundNextRewards(
  { commit }: Pick<ActivityDeps, 'commit'>,
  wallet: WalletRef,
): Promise<void> {
  const ref = walletOf(wallet);
  await commit({
    partnerId: ref.partnerId,
    wallet: ref,
    decide: (draft, terms) => fundNext(draft, terms),
  });
}
