import { type Earns, platforms, type ShopRefund } from '../../domain/connections.ts';
import { modes } from '../../domain/mode.ts';
import type { RepairRun } from '../../domain/shop-repair.ts';
import {
  collection,
  date,
  listOf,
  mixed,
  nullable,
  oneOf,
  part,
  type Stored,
  text,
} from './fields.ts';

/** A signing secret of the shop's platform, sealed and bound to the connection's id. */
const secret = part({
  secretId: text,
  sealed: text,
  createdAt: date,
  /** To the minute. */
  lastUsedAt: nullable(date),
});
export type ConnectionSecretDoc = Stored<typeof secret>;

/** A key that reads the shop's orders, sealed and bound to the connection's id. */
const readKey = part({ sealed: text, savedAt: date });

/** What arrived at a connection. Times are of the first delivery of each kind; none is money or a fact. */
export interface ConnectionSeen {
  deliveries: number;
  purchases: number;
  refunds: number;
  repeats: number;
  /** Of no concern. */
  ignored: number;
  refused: number;
  firstDeliveryAt?: Date;
  firstProvenAt?: Date;
  firstPurchase?: { eventId: string; at: Date };
  firstRefund?: { eventId: string; at: Date };
  last?: { at: Date; topic: string; status: number; code: string; requestId: string; why?: string };
  /** The newest delivery that was refused, and what is wrong with it. */
  lastRefused?: { at: Date; topic: string; code: string; requestId: string; why: string };
}

/** A shop's platform that reports purchases and refunds of an integration by its own webhooks. */
export const connectionSchema = collection(
  'connections',
  {
    /** Part of the address that the platform sends to. */
    _id: text,
    partnerId: text,
    integrationId: text,
    mode: oneOf(modes),
    platform: oneOf(platforms),
    /** The domain of a Shopify shop, the address of a WooCommerce shop without its scheme; null for Stripe. */
    shop: nullable(text),
    /** Newest first, at most two. */
    secrets: listOf(secret),
    earns: mixed<Earns>(),
    seen: mixed<ConnectionSeen>(),
    /** Null without a daily repair. */
    readKey: nullable(readKey),
    /** When the shop is asked next; null if never. */
    askAt: nullable(date),
    /** The end of what was asked for completely. */
    askedUpTo: nullable(date),
    /** The last run of the repair. */
    repair: nullable(mixed<RepairRun>()),
    /** When it was last resumed: the repair counts no orders of before. Null if it never was. */
    resumedAt: nullable(date),
    createdAt: date,
    pausedAt: nullable(date),
    endedAt: nullable(date),
  },
  { minimize: false },
);
export type ConnectionDoc = Stored<typeof connectionSchema>;
connectionSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
connectionSchema.index({ partnerId: 1, mode: 1, _id: -1 });
connectionSchema.index({ partnerId: 1, integrationId: 1, _id: -1 });
connectionSchema.index({ askAt: 1 }, { partialFilterExpression: { askAt: { $type: 'date' } } });

export const waitingKinds = ['REFUND', 'CANCELLATION', 'FAILED'] as const;

/**
 * A refund or a cancellation whose order was not reported yet, or a counted refund that failed at the platform. It is
 * removed when the order has been reported, or after a time.
 */
export const waitingRefundSchema = collection('waiting_refunds', {
  /** Connection, order and refund. */
  _id: text,
  partnerId: text,
  connectionId: text,
  externalOrderId: text,
  kind: oneOf(waitingKinds),
  /** Of a failed refund: the reward that it was counted for; null if its order is not known. */
  rewardId: nullable(text),
  /** When an operator settled a failed refund. */
  settledAt: nullable(date),
  /** Null for a cancellation. */
  refund: nullable(mixed<ShopRefund>()),
  receivedAt: date,
  /** Until when it waits; then it is shown as not matched. */
  waitsUntil: date,
  /** When the database drops it. */
  expiresAt: date,
});
export type WaitingRefundDoc = Stored<typeof waitingRefundSchema>;
waitingRefundSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
waitingRefundSchema.index({ partnerId: 1, connectionId: 1, externalOrderId: 1 });
waitingRefundSchema.index({ partnerId: 1, connectionId: 1, receivedAt: -1 });
waitingRefundSchema.index(
  { receivedAt: 1 },
  { partialFilterExpression: { kind: 'FAILED', settledAt: null } },
);
waitingRefundSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
