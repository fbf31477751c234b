/** Request bodies (docs/integrate/requests.md), and what lists can be asked for. */
import type { RedemptionStatus, RewardStatus } from './responses.ts';

export type * from './responses.ts';

export interface PurchaseRequest {
  /** 1 to 160 characters, unique among the integration's purchases. */
  externalOrderId: string;
  /** At least one of the two; a blank string counts as absent. */
  customer: { email?: string | undefined; phone?: string | undefined };
  order: {
    /** Whole cents, 0 to 100,000,000. */
    subtotalCents: number;
    /** Three letters; USD when absent. */
    currency?: string | undefined;
  };
  /** ISO 8601 with a timezone offset. */
  occurredAt?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface RefundRequest {
  /** The purchase that is refunded. */
  externalOrderId: string;
  /** 1 to 160 characters; `refund:<externalOrderId>` when absent. Required with `amountCents`. */
  externalRefundId?: string | undefined;
  /** How much of the order's subtotal is refunded, in minor units; all that is left when absent. */
  amountCents?: number | undefined;
  /** Up to 500 characters. */
  reason?: string | undefined;
  /** ISO 8601 with a timezone offset. */
  occurredAt?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export type QuoteRequest = Pick<PurchaseRequest, 'order'> &
  Partial<Pick<PurchaseRequest, 'customer'>>;

export type BalanceRequest = Pick<PurchaseRequest, 'customer'>;

export interface RedemptionRequest {
  /** 1 to 160 characters, unique among the integration's redemptions: one for each attempt at a checkout. */
  externalRedemptionId: string;
  /** At least one of the two. */
  customer: PurchaseRequest['customer'];
  /** Either `points`, or `amountCents` in minor units of the currency. */
  points?: number | undefined;
  amountCents?: number | undefined;
  /** The order that the points pay for. */
  externalOrderId?: string | undefined;
  /** Holds the points for 15 minutes. */
  hold?: boolean | undefined;
}

/** A part of a redemption that comes back: one of the two. */
export type ReversedPart =
  | { points: number; amountCents?: undefined }
  | { amountCents: number; points?: undefined };

/** A time in a query: ISO 8601 with a timezone offset, or a date. */
type Instant = string | Date;

/** Which orders or redemptions of a list; all that is given must apply. */
export interface ListQuery {
  /** Only those of this customer, the newest first. It takes a key that also has the scope `customers:read`. */
  customer?: PurchaseRequest['customer'] | undefined;
  changedSince?: Instant | undefined;
  /** The earliest time at which it was recorded. */
  receivedFrom?: Instant | undefined;
  /** The first time that is too late. */
  receivedTo?: Instant | undefined;
  /** Of a page: 1 to 100; 25 by default. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

export interface OrderQuery extends ListQuery {
  /** Of the order's reward. */
  status?: RewardStatus | undefined;
}

export interface RedemptionQuery extends ListQuery {
  status?: RedemptionStatus | undefined;
}

/** The media types of a list of orders. */
export type ListType = 'text/csv' | 'application/x-ndjson' | 'application/jsonl';
