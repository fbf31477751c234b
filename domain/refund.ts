/** The free text of a refund, which may name a customer and is therefore sealed. */
export interface SealedRefund {
  reason: string | null;
  metadata: Record<string, unknown> | null;
}

/** A validated refund request (docs/contract.md, Requests). */
export interface RefundRequest {
  externalOrderId: string;
  externalRefundId?: string;
  reason?: string;
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}
