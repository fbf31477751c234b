import type { Mode } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward.ts';
import type { PurchaseSignal } from '../../domain/workflow-names.ts';
import { collection, date, declared, type Stored, text } from './fields.ts';

/** FUND: the wallet can fund the next rewards in its queue. */
export const outboxKinds = ['START', 'SIGNAL', 'FUND'] as const;

/** How a purchase's workflow is reached, and what operators see of it. */
export interface WorkflowOfPurchase {
  workflowId: string;
  purchaseEventId: string;
  externalOrderId: string;
  status: RewardStatus;
  traceparent?: string;
}

/**
 * Something that a workflow has to be told. It is written with the fact that causes it, and deleted by
 * what acts on it, not by who delivers it.
 */
export interface OutboxDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  kind: (typeof outboxKinds)[number];
  /** Null for FUND. */
  rewardId: string | null;
  workflow: WorkflowOfPurchase | null;
  /** Only for SIGNAL. */
  signal: PurchaseSignal | null;
  /** Only for an operator's decision. */
  reviewId: string | null;
  /** Only for FUND. */
  walletId: string | null;
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

export const outboxSchema = declared<OutboxDoc>('outbox');
outboxSchema.index({ partnerId: 1, rewardId: 1 });
// For the relay: LIVE before TEST, partners in turns, oldest first.
outboxSchema.index({ mode: 1, setApartAt: 1, partnerId: 1, nextAt: 1 });
outboxSchema.index({ kind: 1, at: 1 });
outboxSchema.index({ at: 1 });
// Set apart; usually none.
outboxSchema.index(
  { setApartAt: 1 },
  { partialFilterExpression: { setApartAt: { $type: 'date' } } },
);

/** A relay, and when it last said that it works, by the database's clock. */
export const relaySchema = collection('relays', { _id: text, seenAt: date });
export type RelayDoc = Stored<typeof relaySchema>;
relaySchema.index({ seenAt: 1 }, { expireAfterSeconds: 3_600 });
