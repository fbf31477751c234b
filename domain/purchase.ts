import type { DataKey } from './data-key.ts';
import type { Delivery } from './delivery.ts';
import type { Origin } from './request.ts';

/** A purchase that passed all checks of the API, ready to be recorded. */
export interface PurchaseReport extends Origin {
  eventId: string;
  rewardId: string;
  /** The id of the workflow that will drive the reward (domain/workflow-names.ts). */
  workflowId: string;
  externalOrderId: string;
  subtotalCents: number;
  currency: string;
  occurredAt: string | null;
  customerId: string;
  /** Who delivers the claim link to the customer. */
  delivery: Delivery;
  claimTokenHash: string;
  /** `SealedPurchase` as JSON, sealed and bound to the event's id. */
  sealed: string;
  /** The key that it is sealed with. */
  dataKey: DataKey;
}

/** The personal and secret parts of a purchase. They exist in clear only while they are used. */
export interface SealedPurchase {
  email: string | null;
  phone: string | null;
  claimToken: string;
  /** The link that the response contained, if the partner delivers it; otherwise null. */
  claimUrl: string | null;
  metadata: Record<string, unknown> | null;
}

/** Identifies a purchase to its workflow, which reads everything else from the database. */
export interface PurchaseRef {
  partnerId: string;
  purchaseEventId: string;
}

/** A validated purchase request (docs/contract.md, Requests). */
export interface PurchaseRequest {
  externalOrderId: string;
  customer: { email?: string; phone?: string };
  order: { subtotalCents: number; currency?: string };
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}
