import { Schema } from 'mongoose';
import type { Delivery } from '../../domain/delivery.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { EventType, Origin, RequestInfo } from '../../domain/request.ts';

/** One accepted purchase or refund, and its response. Insert-only. */
export interface OrderEventDoc extends Omit<Origin, 'receivedAt' | 'address'> {
  _id: string;
  mode: Mode;
  type: EventType;
  externalOrderId: string;
  receivedAt: Date;
  occurredAt: Date | null;
  /** Customer, metadata, reason and claim token, sealed and bound to `_id`. */
  sealed: string;
  rewardId: string;
  /** The event's purchase, which may be the event itself. */
  purchaseEventId: string;
  workflowId: string;
  request: RequestInfo;
  /**
   * The response: JSON, replayed byte for byte. A claim link in it is not stored here, but in `sealed`.
   */
  answer: string;
  /** The span of the request, if one was recorded; the workflow continues its trace. */
  traceparent?: string;
  /** Only on a purchase: the data from which its reward is created. */
  purchase: PurchaseFacts | null;
  /** Only on a refund. */
  externalRefundId: string | null;
  /** Only on a refund: the points of its reward. */
  rewardPoints?: number;
}

export interface PurchaseFacts {
  currency: string;
  customerId: string;
  /** Who delivers the claim link to the customer. */
  delivery: Delivery;
  claimTokenHash: string;
  claimExpiresAt: Date;
  arithmetic: PointsArithmetic;
  liabilityCents: number;
  /** How long the customer can claim it, an ISO 8601 duration. */
  claimWindow: string;
  /** `customerDayId`, if the rule has a daily cap per customer; otherwise null. */
  customerDayId: string | null;
}

const anything = { type: Schema.Types.Mixed, default: null };

export const orderEventSchema = new Schema<OrderEventDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    credentialId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    type: { type: String, enum: ['PURCHASE', 'REFUND'], required: true },
    externalOrderId: { type: String, required: true },
    idempotencyKeyHash: { type: String, required: true },
    payloadHash: { type: String, required: true },
    requestId: { type: String, required: true },
    receivedAt: { type: Date, required: true },
    occurredAt: { type: Date, default: null },
    sealed: { type: String, required: true },
    rewardId: { type: String, required: true },
    purchaseEventId: { type: String, required: true },
    workflowId: { type: String, required: true },
    request: {
      type: new Schema({ method: String, path: String, status: Number }, { _id: false }),
      required: true,
    },
    answer: { type: String, required: true },
    traceparent: { type: String },
    purchase: anything,
    externalRefundId: { type: String, default: null },
    rewardPoints: { type: Number },
  },
  { collection: 'order_events', versionKey: false },
);
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
orderEventSchema.index({ partnerId: 1, purchaseEventId: 1 });
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
