import type { Mode } from './mode.ts';
import type { ReviewRef } from './review.ts';
import type { RewardState } from './reward-states.ts';

/** A reward as its workflow holds it. */
export interface RewardSnapshot extends RewardState {
  rewardId: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  /** Its short form, where it is a customer's address or number: a history is erased by nobody. */
  externalOrderId: string;
  purchaseEventId: string;
  points: number;
  /** What it costs the partner. */
  liabilityCents: number;
  customerId: string;
  claimExpiresAt: string;
  /** Counts the moves; a write names the version it starts from. */
  version: number;
  /** The review that the newest refund of a claimed reward opened. */
  review: ReviewRef | null;
  /** Whether something that was moved or reported is not carried out. */
  isPending: boolean;
  /** ISO 8601, when its money was last put behind it; null where it is not. */
  fundedAt: string | null;
}

/** What an operator gives as the reason for cancelling a reward, and when. */
export interface Cancellation {
  operatorId: string;
  cancelledAt: string;
  /** The operator's reason, sealed and bound to the reward's id. */
  sealedReason: string;
}
