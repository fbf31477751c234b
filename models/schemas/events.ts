import { modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { DataKey, Delivery } from '../../domain/purchase.ts';
import {
  collection,
  date,
  field,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  unchecked,
} from './fields.ts';
import { pendingTurns } from './pending-turns.ts';

export interface PurchaseFacts {
  currency: string;
  customerId: string;
  /** Who delivers the claim link to the customer. */
  delivery: Delivery;
  claimTokenHash: string;
  claimExpiresAt: Date;
  arithmetic: PointsArithmetic;
  liabilityCents: number;
  /** Set if the rule has a daily cap per customer. */
  customerDay: CustomerDay | null;
}

/** The position of a purchase in its customer's day, and the day's total including it. */
export interface CustomerDay {
  key: string;
  /** From 1. */
  seq: number;
  totalPoints: number;
}

/** One accepted purchase or refund, and its response. Insert-only. */
export const orderEventSchema = collection('order_events', {
  _id: text,
  partnerId: text,
  integrationId: text,
  credentialId: text,
  mode: oneOf(modes),
  type: oneOf(['PURCHASE', 'REFUND']),
  externalOrderId: text,
  idempotencyKeyHash: text,
  payloadHash: text,
  requestId: text,
  receivedAt: date,
  occurredAt: nullable(date),
  /** Customer, metadata, reason and claim token, sealed and bound to `_id`. */
  sealed: text,
  rewardId: text,
  /** The event's purchase, which may be the event itself. */
  purchaseEventId: text,
  workflowId: text,
  request: part({
    method: unchecked(text),
    path: unchecked(text),
    status: unchecked(number),
  }),
  /**
   * The response: JSON, replayed byte for byte. Null for a refund until its workflow writes the response
   * that follows from the reward's move (events/refund.ts). A claim link in the response is not stored
   * here, but in `sealed`.
   */
  answer: nullable(text),
  /** Set until the workflow has created the purchase's reward, or settled the refund. */
  pendingSince: optional(date),
  /** The span of the request, if one was recorded; the workflow continues its trace. */
  traceparent: optional(text),
  /** The client address, while the event is pending; its integration event stores it then. */
  address: optional(field<string | null>({ type: String })),
  /** The data key, while the event is pending; its workflow moves it to the customer's keys. */
  dataKey: optional(mixed<DataKey>()),
  /** The owner of a pending refund's data key. */
  customerId: optional(text),
  /** Only on a purchase: the data from which its reward is created. */
  purchase: nullable(mixed<PurchaseFacts>()),
  /** Only on a refund. */
  externalRefundId: nullable(text),
  /** Only on a refund: its number among the refunds of its order, from 1, which limits them. */
  refundSeq: optional(number),
  /** Only on a refund: the points of its reward. */
  rewardPoints: optional(number),
});
export type OrderEventDoc = Stored<typeof orderEventSchema>;
/** The unique indexes of the partner's ids of orders and refunds. */
export const externalIdIndexes = { order: 'external_order', refund: 'external_refund' } as const;
// Unique indexes that detect repeats (docs/contract.md, Idempotency; docs/domain.md, Storage).
orderEventSchema.index(
  { partnerId: 1, credentialId: 1, type: 1, idempotencyKeyHash: 1 },
  { unique: true, name: 'idempotency_key' },
);
orderEventSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, externalOrderId: 1 },
  { unique: true, name: externalIdIndexes.order, partialFilterExpression: { type: 'PURCHASE' } },
);
orderEventSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, externalRefundId: 1 },
  { unique: true, name: externalIdIndexes.refund, partialFilterExpression: { type: 'REFUND' } },
);
orderEventSchema.index(
  { partnerId: 1, 'purchase.customerDay.key': 1, 'purchase.customerDay.seq': -1 },
  {
    unique: true,
    name: 'customer_day',
    partialFilterExpression: { 'purchase.customerDay.key': { $exists: true } },
  },
);
orderEventSchema.index({ partnerId: 1, purchaseEventId: 1 });
orderEventSchema.index(
  { partnerId: 1, purchaseEventId: 1, refundSeq: -1 },
  {
    unique: true,
    name: 'refund_of_order',
    partialFilterExpression: { refundSeq: { $exists: true } },
  },
);
/** Indexes of pending events, which are only as large as the backlog. */
export const markedIndexes = { all: 'awaits_workflow', ofPartner: 'awaits_workflow_of' } as const;
const isMarked = { partialFilterExpression: { pendingSince: { $exists: true } } };
orderEventSchema.index(
  { pendingSince: 1, _id: 1, mode: 1 },
  { name: markedIndexes.all, ...isMarked },
);
orderEventSchema.index({ type: 1, ...pendingTurns.fields }, pendingTurns.options);
orderEventSchema.index(
  { partnerId: 1, _id: -1, mode: 1 },
  { name: markedIndexes.ofPartner, ...isMarked },
);
// For lookups by people, newest first, from index keys alone.
export const lookUpIndexes = {
  order: 'look_up_order',
  refund: 'look_up_refund',
  key: 'look_up_key',
} as const;
orderEventSchema.index(
  { externalOrderId: 1, _id: -1, partnerId: 1, type: 1 },
  { name: lookUpIndexes.order },
);
orderEventSchema.index(
  { externalRefundId: 1, _id: -1, partnerId: 1 },
  { name: lookUpIndexes.refund, partialFilterExpression: { type: 'REFUND' } },
);
orderEventSchema.index(
  { idempotencyKeyHash: 1, _id: -1, partnerId: 1 },
  { name: lookUpIndexes.key },
);
// A link delivered by the partner may be opened before the reward exists.
orderEventSchema.index(
  { 'purchase.claimTokenHash': 1 },
  { name: 'claim_link', partialFilterExpression: { 'purchase.delivery': 'PARTNER' } },
);
orderEventSchema.index({ rewardId: 1, _id: -1 });
orderEventSchema.index({ partnerId: 1, _id: -1 });
// The recent events of GET usage.
orderEventSchema.index({ partnerId: 1, mode: 1, _id: -1 });
