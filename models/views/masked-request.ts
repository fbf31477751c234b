import type { SealedPurchase, SealedRefund } from '../../domain/events.ts';
import { maskEmail, maskPhone, maskValues } from '../../domain/mask.ts';
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
  /** What is personal is not there any more. */
  isErased: boolean;
}

/**
 * The request that an event was recorded from.
 * @param opened what the event has sealed; null once its customer was erased
 */
export function maskedRequest(event: OrderEventDoc, opened: string | null): MaskedRequest {
  const { externalOrderId, externalRefundId, purchase } = event;
  const common = {
    externalOrderId,
    isErased: opened === null,
    occurredAt: event.occurredAt?.toISOString() ?? null,
  };
  if (purchase === null) {
    const { reason, metadata }: SealedRefund = JSON.parse(opened ?? nothing);
    return {
      ...common,
      externalRefundId: externalRefundId ?? '',
      hasReason: reason !== null,
      metadata: maskValues(metadata),
    };
  }
  const { email, phone, metadata }: SealedPurchase = JSON.parse(opened ?? nothing);
  const { currency, arithmetic } = purchase;
  return {
    ...common,
    customer: { email: email && maskEmail(email), phone: phone && maskPhone(phone) },
    order: { subtotalCents: arithmetic.subtotalCents, currency },
    metadata: maskValues(metadata),
  };
}

/** What is left of an erased customer's. */
const nothing = JSON.stringify({ email: null, phone: null, reason: null, metadata: null });
