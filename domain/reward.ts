import type { Mode } from './mode.ts';
import type { ReviewRef } from './review.ts';
import type { RewardState } from './reward-states.ts';

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
  /** The number of moves. Each write names the version that it is based on. */
  version: number;
  /** The review opened by the latest refund of the claimed reward. */
  review: ReviewRef | null;
  /** Whether a move or a refund has not been carried out yet. */
  isPending: boolean;
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
