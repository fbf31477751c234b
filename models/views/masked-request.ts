import { maskEmail, maskPhone, maskValues } from '../../domain/mask.ts';
import type { SealedPurchase } from '../../domain/purchase.ts';
import type { SealedRefund } from '../../domain/refund.ts';
import type { OrderEventDoc } from '../schemas/events.ts';

/** The content of a reported request, with personal data masked. */
export interface MaskedRequest {
  externalOrderId: string;
  externalRefundId?: string;
  customer?: { email: string | null; phone: string | null };
  order?: { subtotalCents: number; currency: string };
  /** Whether a reason was given. Its text is not shown, because it may identify a customer. */
  hasReason?: boolean;
  occurredAt: string | null;
  /** The names of the fields and the types of their values; null without metadata. */
  metadata: unknown;
  /** Whether the customer was erased, so that no personal data is left. */
  isErased: boolean;
}

const erasedPurchase = { email: null, phone: null, metadata: null };
const erasedRefund: SealedRefund = { reason: null, metadata: null };

/**
 * The request that an event was recorded from.
 * @param opened the unsealed part of the event; null if its customer was erased
 */
export function maskedRequest(event: OrderEventDoc, opened: string | null): MaskedRequest {
  const isErased = opened === null;
  const { externalOrderId, externalRefundId, purchase } = event;
  const occurredAt = event.occurredAt?.toISOString() ?? null;
  if (purchase === null) {
    const { reason, metadata }: SealedRefund = isErased ? erasedRefund : JSON.parse(opened);
    return {
      externalOrderId,
      externalRefundId: externalRefundId ?? '',
      hasReason: reason !== null,
      occurredAt,
      metadata: maskValues(metadata),
      isErased,
    };
  }
  const { email, phone, metadata }: Pick<SealedPurchase, 'email' | 'phone' | 'metadata'> = isErased
    ? erasedPurchase
    : JSON.parse(opened);
  const { currency, arithmetic } = purchase;
  return {
    externalOrderId,
    customer: { email: email && maskEmail(email), phone: phone && maskPhone(phone) },
    order: { subtotalCents: arithmetic.subtotalCents, currency },
    occurredAt,
    metadata: maskValues(metadata),
    isErased,
  };
}
