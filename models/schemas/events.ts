import { modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { Delivery } from '../../domain/purchase.ts';
import type { CountedBudget } from '../../domain/rule-budgets.ts';
import { dueField, indexWhatIsDue } from './due.ts';
import {
  collection,
  date,
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

export interface PurchaseFacts {
  currency: string;
  customerId: string;
  /** The id of whoever gives only the phone, if the customer gave an email as well; absent once it was erased. */
  phoneId?: string;
  /** Who delivers the claim link to the customer. */
  delivery: Delivery;
  claimTokenHash: string;
  claimExpiresAt: Date;
  /** When its hold ends; absent without a hold. */
  claimableFrom?: Date;
  arithmetic: PointsArithmetic;
  liabilityCents: number;
  /** How long the customer can claim it, an ISO 8601 duration. */
  claimWindow: string;
  /** The customer's day that it counts in, if the rule has a daily cap; otherwise null. */
  customerDay: string | null;
  /** The budget that it counts in; absent if the rule has none. */
  budget?: CountedBudget;
}

/** One accepted purchase or refund, and its response. What it says never changes; what is sealed can be forgotten. */
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
  /**
   * Customer, metadata, reason and claim token, sealed under a key of its own and bound to `_id`. Null once the
   * customer was erased: the key is part of it, and goes with it.
   */
  sealed: nullable(text),
  /** When that was erased. */
  erasedAt: optional(date),
  rewardId: text,
  /** The event's purchase, which may be the event itself. */
  purchaseEventId: text,
  workflowId: text,
  request: part({
    method: unchecked(text),
    path: unchecked(text),
    status: unchecked(number),
  }),
  /** The response: JSON, replayed byte for byte. A claim link in it is not stored here, but in `sealed`. */
  answer: text,
  /** The span of the request, if one was recorded; the workflow continues its trace. */
  traceparent: optional(text),
  /** Only on a purchase: until its workflow has begun it. */
  due: dueField<'START'>(),
  /** Only on a purchase: the data from which its reward is created. */
  purchase: nullable(mixed<PurchaseFacts>()),
  /** Only on a refund. */
  externalRefundId: nullable(text),
  /** Only on a refund: how much of the order it refunded. */
  amountCents: optional(number),
  /** Only on a refund: the points of its reward. */
  rewardPoints: optional(number),
});
export type OrderEventDoc = Stored<typeof orderEventSchema>;
/** The hint of every search by phone. */
export const phoneIndex = 'phone';
/** The unique indexes of the partner's ids of orders and refunds. */
export const externalIdIndexes = { order: 'external_order', refund: 'external_refund' } as const;
// Unique indexes that detect repeats (docs/integrate/idempotency.md, Idempotency; docs/concepts/how-it-works.md, Storage).
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
orderEventSchema.index({ partnerId: 1, purchaseEventId: 1 });
// For the erasure of a customer.
orderEventSchema.index(
  { partnerId: 1, 'purchase.customerId': 1 },
  { name: 'customer', partialFilterExpression: { type: 'PURCHASE' } },
);
// For people who look for a customer by the phone that came with an email.
orderEventSchema.index(
  { 'purchase.phoneId': 1, 'purchase.customerId': 1, partnerId: 1 },
  { name: phoneIndex, partialFilterExpression: { 'purchase.phoneId': { $type: 'string' } } },
);
// The oldest that are not erased, for the retention, and those erased lately, for copies of their messages.
orderEventSchema.index(
  { receivedAt: 1 },
  { name: 'not_erased', partialFilterExpression: { sealed: { $type: 'string' } } },
);
orderEventSchema.index(
  { erasedAt: 1 },
  { name: 'erased', partialFilterExpression: { erasedAt: { $type: 'date' } } },
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
indexWhatIsDue(orderEventSchema);
orderEventSchema.index({ rewardId: 1, _id: -1 });
orderEventSchema.index({ partnerId: 1, _id: -1 });
// The recent events of GET usage.
orderEventSchema.index({ partnerId: 1, mode: 1, _id: -1 });
