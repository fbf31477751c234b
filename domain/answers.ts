import type { PartnerErrorCode } from './errors.ts';
import type { Mode } from './mode.ts';
import { initialState, type RewardStatus, refundStatusOf } from './reward-states.ts';

/** The response to a recorded event, stored with it byte for byte. */
export interface Answered {
  kind: 'ANSWERED';
  eventId: string;
  /** JSON. */
  body: string;
  /** The request that recorded the event. A response to any other request is a replay. */
  requestId: string;
}

export interface Refused {
  kind: 'REFUSED';
  code: PartnerErrorCode;
  message: string;
}

export type Answer = Answered | Refused;

/** The fields of the event that both responses repeat. */
interface EventFields {
  mode: Mode;
  eventId: string;
  externalOrderId: string;
}

/**
 * The response to a purchase (docs/contract.md, Responses), with the reward as it is created: it is
 * funded after the response is sent.
 * @param reward.claimExpiresAt ISO 8601
 */
export function purchaseAnswer(
  { mode, eventId, externalOrderId }: EventFields,
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
 * The response to a purchase whose claim link the partner delivers.
 * @param body JSON of `purchaseAnswer`
 * @returns JSON, byte for byte the same for the same arguments
 */
export function withClaimUrl(body: string, claimUrl: string): string {
  const answer: ReturnType<typeof purchaseAnswer> = JSON.parse(body);
  return JSON.stringify({ ...answer, reward: { ...answer.reward, claimUrl } });
}

/**
 * The response to a refund (docs/contract.md, Responses).
 * @param reward.status the status that the refund left the reward in
 */
export function refundAnswer(
  { mode, eventId, externalOrderId }: EventFields,
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
