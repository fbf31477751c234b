import type { DataKey } from './data-key.ts';
import type { Delivery } from './delivery.ts';
import type { Origin } from './request.ts';

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
  customerId: string;
  /** Who brings the customer the claim link. */
  delivery: Delivery;
  claimTokenHash: string;
  /** A sealed `SealedPurchase`, bound to the event's id. */
  sealed: string;
  /** What opens it. */
  dataKey: DataKey;
}

/** What of a purchase is personal or secret; exists in clear only while it is used. */
export interface SealedPurchase {
  email: string | null;
  phone: string | null;
  claimToken: string;
  /** The link that the partner was answered with, where the partner delivers it; null elsewhere. */
  claimUrl: string | null;
  metadata: Record<string, unknown> | null;
}

/** Names a purchase to its workflow: all else stands in the database. */
export interface PurchaseRef {
  partnerId: string;
  purchaseEventId: string;
}

/** A purchase as the partner reports it, its fields checked (docs/contract.md, Requests). */
export interface PurchaseRequest {
  externalOrderId: string;
  customer: { email?: string; phone?: string };
  order: { subtotalCents: number; currency?: string };
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}
