/** A refund's free text, which may name a customer. */
export interface SealedRefund {
  reason: string | null;
  metadata: Record<string, unknown> | null;
}

/** A refund as the partner reports it, its fields checked (docs/contract.md, Requests). */
export interface RefundRequest {
  externalOrderId: string;
  externalRefundId?: string;
  reason?: string;
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}
