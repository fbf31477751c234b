import type { ClaimTimes } from './earning-rules.ts';
import type { PartnerErrorCode } from './error-codes.ts';
import { ServiceError } from './errors.ts';
import type { Mode } from './mode.ts';
import { moneyText } from './money.ts';
import { type Redemption, reversedOf } from './redemption.ts';
import {
  customerStatusOf,
  initialState,
  type RewardState,
  refundStatusOf,
  statusOf,
} from './reward.ts';

/** The response to a recorded event, stored with it byte for byte. */
export interface Answered {
  kind: 'ANSWERED';
  eventId: string;
  /** The order that the event is about, if it is about one. */
  externalOrderId: string | null;
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

/** What earlier requests mean for a new one (docs/integrate/idempotency.md, Idempotency). */
export interface Earlier {
  /** The request that was accepted under the same key, from which a repeat is answered, whatever else is known. */
  byKey: { isSame: boolean; answer: Answer } | undefined;
  /** Why a new key does not make the request new: its own id was accepted under another. */
  taken: Refused | undefined;
}

/** A refusal as an error, which also keeps a commit from changing anything. */
export const refused = ({ code, message }: Refused): ServiceError =>
  new ServiceError(code, message);

/** The fields of the event that both responses repeat. */
interface EventFields {
  mode: Mode;
  eventId: string;
  externalOrderId: string;
}

/**
 * The response to a purchase (docs/integrate/requests.md, Responses), with the reward as it is created: it is
 * funded after the response is sent.
 */
export function purchaseAnswer(
  { mode, eventId, externalOrderId }: EventFields,
  reward: { rewardId: string; points: number } & ClaimTimes,
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    reward: {
      id: reward.rewardId,
      points: reward.points,
      status: statusOf(initialState),
      customerStatus: customerStatusOf(initialState),
      claimExpiresAt: reward.claimExpiresAt,
      claimableFrom: reward.claimableFrom,
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
 * The response to a refund (docs/integrate/requests.md, Responses).
 * @param refund.amountCents how much of the order it refunded
 * @param reward as the refund left it
 */
export function refundAnswer(
  { mode, eventId, externalOrderId }: EventFields,
  { externalRefundId, amountCents }: { externalRefundId: string; amountCents: number },
  reward: { rewardId: string; points: number; state: RewardState },
) {
  return {
    success: true,
    mode,
    eventId,
    externalOrderId,
    refund: { externalRefundId, status: refundStatusOf(reward.state), amountCents },
    reward: { id: reward.rewardId, points: reward.points, status: statusOf(reward.state) },
  };
}

/** A redemption as its partner sees it. */
export function presentRedemption(redemption: Redemption) {
  const {
    _id: id,
    externalRedemptionId,
    externalOrderId,
    status,
    points,
    amountCents,
  } = redemption;
  const reversed = reversedOf(redemption);
  return {
    id,
    externalRedemptionId,
    externalOrderId,
    status,
    points,
    amountCents,
    reversedPoints: reversed.points,
    reversedCents: reversed.amountCents,
    expiresAt: redemption.expiresAt?.toISOString() ?? null,
    createdAt: redemption.createdAt.toISOString(),
    updatedAt: redemption.updatedAt.toISOString(),
  };
}

/**
 * The response to a redemption, and to what is done with it afterwards (docs/integrate/checkout.md).
 * @param balance what the customer can spend afterwards
 */
export function redemptionAnswer(
  { mode, eventId }: Omit<EventFields, 'externalOrderId'>,
  redemption: Redemption,
  balance: { points: number; amountCents: number },
) {
  return { success: true, mode, eventId, redemption: presentRedemption(redemption), balance };
}

/** The most refunds of one order (docs/integrate/errors.md). */
export const maxRefundsPerOrder = 100;

/** The refusals that depend on earlier events (docs/integrate/idempotency.md, Idempotency). */
export const refusals = {
  conflict(): Refused {
    return {
      kind: 'REFUSED',
      code: 'IDEMPOTENCY_CONFLICT',
      message:
        'This Idempotency-Key was already used with a different body. Send the original body to get its response, or use a new key for a new request.',
    };
  },
  duplicateOrder(first: { _id: string; externalOrderId: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_ORDER',
      message: `externalOrderId ${JSON.stringify(first.externalOrderId)} was already reported as event ${first._id} under another Idempotency-Key. Nothing was created.`,
    };
  },
  tooManyRefunds({ externalOrderId }: { externalOrderId: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'TOO_MANY_REFUNDS',
      message: `externalOrderId ${JSON.stringify(externalOrderId)} has had ${maxRefundsPerOrder} refunds, and no more are accepted. Nothing was created.`,
    };
  },
  refundExceedsOrder(
    { externalOrderId }: { externalOrderId: string },
    { leftCents, currency }: { leftCents: number; currency: string },
  ): Refused {
    const order = `externalOrderId ${JSON.stringify(externalOrderId)}`;
    const left = `${moneyText(leftCents, currency)} of ${order} is left to refund`;
    const advice = leftCents === 0 ? '' : `: amountCents must be at most ${leftCents}`;
    return {
      kind: 'REFUSED',
      code: 'REFUND_EXCEEDS_ORDER',
      message: `${left}${advice}. Nothing was created.`,
    };
  },
  duplicateRedemption(first: { eventId: string; externalRedemptionId: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_REDEMPTION',
      message: `externalRedemptionId ${JSON.stringify(first.externalRedemptionId)} was already reported as event ${first.eventId} under another Idempotency-Key. Nothing was redeemed.`,
    };
  },
  /** @param because how it ended, as the end of a sentence */
  redemptionEnded({ id, because }: { id: string; because: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'REDEMPTION_ENDED',
      message: `Redemption ${id} ${because}. Nothing was changed.`,
    };
  },
  duplicateRefund(first: { _id: string; externalRefundId: string | null }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_REFUND',
      message: `externalRefundId ${JSON.stringify(first.externalRefundId)} was already reported as event ${first._id} under another Idempotency-Key. Use another externalRefundId for another refund.`,
    };
  },
};
