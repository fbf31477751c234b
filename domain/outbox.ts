import type { Mode } from './mode.ts';
import type { RewardState } from './reward.ts';
import type { PurchaseSignal } from './workflow-names.ts';

/**
 * FUND: the wallet can fund the next rewards in its queue. HOLD: a hold's workflow has to be started. TELL:
 * the customer has to be told of a redemption.
 */
export const outboxKinds = ['START', 'SIGNAL', 'FUND', 'HOLD', 'TELL'] as const;

/** How a purchase's workflow is reached, and what operators see of it. */
export interface WorkflowOfPurchase {
  workflowId: string;
  purchaseEventId: string;
  externalOrderId: string;
  state: RewardState;
  traceparent?: string;
}

/**
 * Something that a workflow has to be told. It is written with the fact that causes it, and deleted by
 * what acts on it, not by who delivers it.
 */
export interface OutboxRow {
  _id: string;
  partnerId: string;
  mode: Mode;
  kind: (typeof outboxKinds)[number];
  /** The event of the purchase, the redemption or, for FUND, the wallet. */
  about: string;
  /** Only for START and SIGNAL. */
  rewardId: string | null;
  workflow: WorkflowOfPurchase | null;
  /** Only for SIGNAL. */
  signal: PurchaseSignal | null;
  /** Only for an operator's decision. */
  reviewId: string | null;
  /** When it was written, by the database's clock as far as it is compared with others. */
  at: Date;
  /** Attempts to deliver it that were not acted on. */
  attempts: number;
  /** Not to be delivered before. */
  nextAt: Date;
  /** Why the last attempt failed; null if it did not. */
  error: string | null;
  /** Set after too many attempts: it is only tried again when an operator says so. */
  setApartAt: Date | null;
}
