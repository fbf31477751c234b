import type { Language } from './languages.ts';
import type { Undelivered } from './messages.ts';
import type { Mode } from './mode.ts';
import type { PointsArithmetic } from './points.ts';
import type { ReviewRef } from './review.ts';
import type { RewardMove, RewardState, RewardStatus } from './reward-states.ts';

/** A move that was made, and its cause. */
export interface MadeMove {
  move: RewardMove;
  at: Date;
  /** The reward's status after the move, also for a refund that changed nothing. */
  status: RewardStatus;
  /** For a refund: its order event, whose response follows from this move. */
  refundEventId?: string;
  /** For an operator's decision: the review. */
  reviewId?: string;
  /** The trace that it was made in, if one was recorded; its workflow continues it. */
  traceparent?: string;
}

/** Where a funded LIVE reward's points are counted. */
export interface CountedIn {
  /** `usagePeriodId` */
  periodId: string;
  /** The UTC day on which it was funded. */
  day: string;
}

/** What to tell the partner about its funds, decided with the reward's funding. */
export interface FundingNotice {
  /** Set if the reward waits for funds and is first in the queue. */
  missingCents: number | null;
  /** Set if its reservation took the funding below the partner's threshold. */
  lowBalanceCents: number | null;
}

/** A reward as it is stored, and the authority on its state. */
export interface Reward extends RewardState {
  _id: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  purchaseEventId: string;
  externalOrderId: string;
  workflowId: string;
  customerId: string;
  claimTokenHash: string;
  currency: string;
  points: number;
  /** The cost for the partner. */
  liabilityCents: number;
  /** The wallet that funds it (`walletIdOf`). */
  walletId: string;
  /** The rule version and the calculation, which explain the points. */
  arithmetic: PointsArithmetic;
  /** The customer's day that it counts in, if the rule has a daily cap; otherwise null. */
  customerDayId: string | null;
  /** How long the customer can claim it, an ISO 8601 duration. */
  claimWindow: string;
  claimExpiresAt: Date;
  /** The language of the page on which the customer claimed it; absent if unknown. */
  claimLanguage?: Language;
  /** Whether its money was reserved. A TEST reward can be funded without any. */
  isReserved: boolean;
  /** Null if its points are counted nowhere, or no longer. */
  countedIn: CountedIn | null;
  fundingNotice: FundingNotice | null;
  /** The review opened by the latest refund of the claimed reward. */
  review: ReviewRef | null;
  /** The cancellation by an operator; also null if a refund cancelled the reward. */
  cancellation: Cancellation | null;
  /** The number of moves. */
  version: number;
  moves: readonly MadeMove[];
  /** Messages that did not reach the customer; absent without any. */
  undelivered?: Undelivered[];
  createdAt: Date;
  updatedAt: Date;
}

/** A reward as its workflow sees it. */
export interface RewardSnapshot extends RewardState {
  rewardId: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  /**
   * A short form if the id is a customer's address or phone number, since workflow histories cannot
   * be erased.
   */
  externalOrderId: string;
  purchaseEventId: string;
  points: number;
  liabilityCents: number;
  customerId: string;
  claimExpiresAt: string;
  /** The number of moves. */
  version: number;
  /** The review opened by the latest refund of the claimed reward. */
  review: ReviewRef | null;
  fundingNotice: FundingNotice | null;
  /** ISO 8601, when it was last funded; null if it is not funded. */
  fundedAt: string | null;
}

/** An operator's cancellation of a reward. */
export interface Cancellation {
  operatorId: string;
  cancelledAt: string;
  /** The operator's reason, sealed and bound to the reward's id. */
  sealedReason: string;
}
