import type { PartnerErrorCode } from './errors.ts';
import type { ReviewReason, Verdict } from './review-reasons.ts';
import type { RewardState } from './reward-states.ts';

/** What passes between the API, the workflow and the activities. Plain JSON, no personal data in clear. */

export const modes = ['TEST', 'LIVE'] as const;
export type Mode = (typeof modes)[number];
export type EventType = 'PURCHASE' | 'REFUND';

/** What a signed request asks for. */
export const requestTypes = ['PURCHASE', 'REFUND', 'READ'] as const;
export type RequestType = (typeof requestTypes)[number];

/** Who sent an event, and how it is told from its repeats (contract, Idempotency). */
export interface Origin {
  partnerId: string;
  /** The specification's `source`. */
  integrationId: string;
  credentialId: string;
  mode: Mode;
  requestId: string;
  idempotencyKeyHash: string;
  payloadHash: string;
  /** ISO 8601, UTC. */
  receivedAt: string;
  /** Where the request came from: an IPv4 or IPv6 address; null where it is known no longer. */
  address: string | null;
  /** What the API's log of requests says of it, once it is accepted. */
  request: RequestLine;
}

/** How a request came, and the status it is answered with. */
export interface RequestLine {
  method: string;
  path: string;
  status: number;
}

/** A purchase that passed every check of the API, ready to be recorded. */
export interface PurchaseReport extends Origin {
  eventId: string;
  rewardId: string;
  /** Of the workflow that will drive the reward (domain/workflow-names.ts). */
  workflowId: string;
  externalOrderId: string;
  subtotalCents: number;
  currency: string;
  occurredAt: string | null;
  customerKey: string;
  claimTokenHash: string;
  /** A sealed `SealedPurchase`, bound to the event's id. */
  sealed: string;
  /** What opens it. */
  dataKey: DataKey;
}

/**
 * The data key of one sealed text of a customer, wrapped by the master key. The text names it by its
 * id; once it is destroyed, nothing opens the text.
 */
export interface DataKey {
  dataKeyId: string;
  wrapped: string;
}

/** What of a purchase is personal or secret; exists in clear only while it is used. */
export interface SealedPurchase {
  email: string | null;
  phone: string | null;
  claimToken: string;
  metadata: Record<string, unknown> | null;
}

export interface RefundCommand extends Origin {
  eventId: string;
  /** Of the purchase. */
  workflowId: string;
  externalOrderId: string;
  externalRefundId: string;
  occurredAt: string | null;
  /** A sealed `SealedRefund`, bound to the event's id. */
  sealed: string;
}

/** A refund's free text, which may name a customer. */
export interface SealedRefund {
  reason: string | null;
  metadata: Record<string, unknown> | null;
}

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

/** A reward as its workflow holds it. */
export interface RewardSnapshot extends RewardState {
  rewardId: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  externalOrderId: string;
  purchaseEventId: string;
  points: number;
  /** What it costs the partner. */
  liabilityCents: number;
  customerKey: string;
  claimExpiresAt: string;
  /** Counts the moves; a write names the version it starts from. */
  version: number;
  /** The review that the newest refund of a claimed reward opened. */
  review: ReviewRef | null;
  /** Set where an earlier run of its workflow began something and did not live to finish it. */
  isUnfinished?: true;
}

/** Whose funds stand behind rewards: the partner's in LIVE, the integration's test funding in TEST. */
export type WalletRef =
  | { mode: 'LIVE'; partnerId: string }
  | { mode: 'TEST'; partnerId: string; integrationId: string };

/** The wallet that a reward, or an event, is funded from. */
export function walletOf(of: { mode: Mode; partnerId: string; integrationId: string }): WalletRef {
  const { mode, partnerId, integrationId } = of;
  return mode === 'LIVE' ? { mode, partnerId } : { mode, partnerId, integrationId };
}

/** Names a wallet among the partner's. */
export function walletIdOf(wallet: WalletRef): string {
  return wallet.mode === 'LIVE' ? wallet.partnerId : wallet.integrationId;
}

export interface ReviewRef {
  reviewId: string;
  /** ISO 8601, UTC. */
  openedAt: string;
  /** How long the admins have, before it is put before them anew. */
  dueMs: number;
}

/** Names a purchase to its workflow: all else stands in the database. */
export interface PurchaseRef {
  partnerId: string;
  purchaseEventId: string;
}

/** Names a job to its workflow: all else stands in the database. */
export interface JobRef {
  partnerId: string;
  jobId: string;
}

/** What an operator gives as the reason for cancelling a reward, and when. */
export interface Cancellation {
  adminId: string;
  cancelledAt: string;
  /** The operator's reason, sealed and bound to the reward's id. */
  sealedReason: string;
}

export interface ReviewDecision {
  verdict: Verdict;
  reasonCode: ReviewReason;
  adminId: string;
  decidedAt: string;
  /** The admin's own words, sealed and bound to the review's id. */
  sealedReason: string;
}
