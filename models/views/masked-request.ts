import type { SealedPurchase, SealedRefund } from '../../domain/events.ts';
import { maskEmail, maskPhone, maskValues } from '../../domain/mask.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';

/** What was reported, in the fields of the request; what is personal is masked. */
export interface MaskedRequest {
  externalOrderId: string;
  externalRefundId?: string;
  customer?: { email: string | null; phone: string | null };
  order?: { subtotalCents: number; currency: string };
  /** Whether a reason was given: what it says may name a customer. */
  hasReason?: boolean;
  occurredAt: string | null;
  /** The names of its fields and the kinds of their values; null without any. */
  metadata: unknown;
}

/** The request that an event was recorded from. */
export function maskedRequest(sealer: Sealer, event: OrderEventDoc): MaskedRequest {
  const opened: unknown = JSON.parse(sealer.open(event.sealed, event._id));
  const { externalOrderId, externalRefundId, purchase } = event;
  const occurredAt = event.occurredAt?.toISOString() ?? null;
  if (purchase === null) {
    const { reason, metadata } = opened as SealedRefund;
    return {
      externalOrderId,
      externalRefundId: externalRefundId ?? '',
      hasReason: reason !== null,
      occurredAt,
      metadata: maskValues(metadata),
    };
  }
  const { email, phone, metadata } = opened as SealedPurchase;
  const { currency, arithmetic } = purchase;
  return {
    externalOrderId,
    customer: { email: email && maskEmail(email), phone: phone && maskPhone(phone) },
    order: { subtotalCents: arithmetic.subtotalCents, currency },
    occurredAt,
    metadata: maskValues(metadata),
  };
}
