import { reviewedCentsOf } from './refunds.ts';
import { reviewIdOf } from './review.ts';
import {
  customerStatusOf,
  type MadeMove,
  type Reward,
  type RewardState,
  statusOf,
} from './reward.ts';
import type { Metered } from './usage-periods.ts';
import { type Announcement, withoutReward } from './webhooks.ts';

/**
 * What a reward's move announces to its partner. A move that changes neither state nor points announces
 * nothing; a review that cancels or reduces the reward makes two announcements with the same sequence number.
 * @param reward after the move
 * @param before the state that it was made from
 */
export function announcementsOfMove(
  reward: Reward,
  before: RewardState,
  made: MadeMove,
): Announcement[] {
  const { _id: rewardId, partnerId, mode, version: sequence, state } = reward;
  const isSaid = made.move === 'FUND' || made.move === 'REDUCE' || state === 'FUNDED';
  if (state === before && !isSaid) return [];
  const base = {
    partnerId,
    mode,
    at: made.at,
    rewardId,
    sequence,
    cause: `${rewardId} ${sequence}`,
  };
  const { externalOrderId, purchaseEventId, integrationId, points, liabilityCents, currency } =
    reward;
  const data = {
    rewardId,
    externalOrderId,
    purchaseEventId,
    integrationId,
    status: statusOf(state),
    customerStatus: customerStatusOf(state),
    points,
    liabilityCents,
    currency,
  };
  const claimTimes = {
    claimExpiresAt: reward.claimExpiresAt.toISOString(),
    claimableFrom: reward.claimableFrom?.toISOString() ?? null,
  };
  const cancelled = (by: 'REFUND' | 'OPERATOR' | 'REVIEW'): Announcement => ({
    ...base,
    type: 'reward.cancelled',
    data: { ...data, cancelledBy: by },
  });
  const reduced = (by: 'REFUND' | 'REVIEW'): Announcement => {
    const lostPoints = made.lost?.points ?? 0;
    const { refundedCents } = reward;
    return {
      ...base,
      type: 'reward.reduced',
      data: { ...data, reducedBy: by, lostPoints, refundedCents },
    };
  };
  const decided = (verdict: 'UPHOLD' | 'DISMISS'): Announcement => ({
    ...base,
    type: 'review.decided',
    data: { ...data, reviewId: made.reviewId ?? null, verdict },
  });
  switch (made.move) {
    case 'FUND':
      return [{ ...base, type: 'reward.funded', data: { ...data, ...claimTimes } }];
    case 'MATURE':
      return [{ ...base, type: 'reward.claimable', data: { ...data, ...claimTimes } }];
    case 'RUN_SHORT':
      return [{ ...base, type: 'reward.awaiting_funding', data }];
    case 'CLAIM':
      return [{ ...base, type: 'reward.claimed', data }];
    case 'EXPIRE':
      return [{ ...base, type: 'reward.expired', data }];
    case 'CANCEL':
      return [cancelled('OPERATOR')];
    case 'REFUND': {
      if (state !== 'IN_REVIEW') return [cancelled('REFUND')];
      const reviewId = reviewIdOf(made.refundEventId ?? '');
      const amountCents = reviewedCentsOf(reward);
      return [{ ...base, type: 'review.opened', data: { ...data, reviewId, amountCents } }];
    }
    case 'REDUCE':
      return made.reviewId === undefined
        ? [reduced('REFUND')]
        : [decided('UPHOLD'), reduced('REVIEW')];
    // What follows is announced: that it is funded, or waits for funds.
    case 'REINSTATE':
    case 'CORRECT':
      return [];
    case 'UPHOLD':
      return [decided('UPHOLD'), cancelled('REVIEW')];
    case 'DISMISS':
      return [decided('DISMISS')];
  }
}

/** Percentages of the plan's included points at which the partner is notified. */
const thresholds = [80, 100] as const;

/** The thresholds that one reward's points took the period's usage across. */
export function usageAnnouncements(
  { partnerId, _id: rewardId }: Reward,
  metered: Metered | null,
  at: Date,
): Announcement[] {
  if (metered === null) return [];
  const { beforePoints, afterPoints, includedPoints, subscriptionId, periodStart } = metered;
  return thresholds
    .filter((percent) => {
      const limit = includedPoints * percent;
      return includedPoints > 0 && beforePoints * 100 < limit && afterPoints * 100 >= limit;
    })
    .map((percent) => ({
      type: 'usage.threshold',
      partnerId,
      mode: 'LIVE',
      at,
      cause: `${rewardId} ${percent}`,
      ...withoutReward,
      data: { percent, usedPoints: afterPoints, includedPoints, subscriptionId, periodStart },
    }));
}

/**
 * What a change of the LIVE funding announces: that it fell below the partner's threshold, or rose back
 * to it. How long it lasts is added when the event is written.
 * @param cause identifies the entry that changed it
 */
export function fundingAnnouncements(
  partnerId: string,
  { beforeCents, afterCents }: { beforeCents: number; afterCents: number },
  thresholdCents: number,
  { at, cause }: { at: Date; cause: string },
): Announcement[] {
  const isLow = (cents: number) => cents < thresholdCents;
  if (isLow(beforeCents) === isLow(afterCents)) return [];
  return [
    {
      type: isLow(afterCents) ? 'funding.low' : 'funding.recovered',
      partnerId,
      mode: 'LIVE',
      at,
      cause,
      ...withoutReward,
      data: { balanceCents: afterCents, thresholdCents },
    },
  ];
}
