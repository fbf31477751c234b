import type { PartnerErrorCode } from './errors.ts';
import type { Mode } from './mode.ts';
import { initialState, type RewardStatus, refundStatusOf } from './reward-states.ts';

/** The answer a partner gets, stored with the event, byte for byte. */
export interface Answered {
  kind: 'ANSWERED';
  eventId: string;
  /** JSON. */
  body: string;
  /** The request that recorded the event; any other one is a replay. */
  requestId: string;
}

export interface Refused {
  kind: 'REFUSED';
  code: PartnerErrorCode;
  message: string;
}

export type Answer = Answered | Refused;

/** What both answers say of the event. */
interface Recorded {
  mode: Mode;
  eventId: string;
  externalOrderId: string;
}

/**
 * The answer to a purchase (docs/contract.md, Answers). The reward is as it is created: funding
 * is decided after the answer.
 * @param reward.claimExpiresAt ISO 8601
 */
export function purchaseAnswer(
  { mode, eventId, externalOrderId }: Recorded,
  reward: { rewardId: string; points: number; claimExpiresAt: string },
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    reward: {
      id: reward.rewardId,
      points: reward.points,
      status: initialState.status,
      customerStatus: initialState.customerStatus,
      claimExpiresAt: reward.claimExpiresAt,
    },
  };
}

/**
 * The answer to a purchase whose claim link the partner delivers.
 * @param body JSON of `purchaseAnswer`
 * @returns JSON, the same bytes whenever it is made
 */
export function withClaimUrl(body: string, claimUrl: string): string {
  const answer: ReturnType<typeof purchaseAnswer> = JSON.parse(body);
  return JSON.stringify({ ...answer, reward: { ...answer.reward, claimUrl } });
}

/**
 * The answer to a refund (docs/contract.md, Answers).
 * @param reward.status as the refund left it
 */
export function refundAnswer(
  { mode, eventId, externalOrderId }: Recorded,
  externalRefundId: string,
  reward: { rewardId: string; points: number; status: RewardStatus },
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    refund: { externalRefundId, status: refundStatusOf(reward.status) },
    reward: { id: reward.rewardId, points: reward.points, status: reward.status },
  };
}
