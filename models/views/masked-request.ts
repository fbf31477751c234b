import type { SealedPurchase, SealedRefund } from '../../domain/events.ts';
import { maskEmail, maskPhone, maskValues } from '../../domain/mask.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { keyDocOf, openSealed, openUnder } from '../data-keys.ts';
import { customerOf } from '../order-events.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';

interface OpeningDeps {
  models: Models;
  sealer: Sealer;
}

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
  /** What was personal in it is destroyed. */
  isErased?: true;
}

/** The request that an event was recorded from. */
export async function maskedRequest(
  deps: OpeningDeps,
  event: OrderEventDoc,
): Promise<MaskedRequest> {
  const { externalOrderId, externalRefundId, purchase } = event;
  const occurredAt = event.occurredAt?.toISOString() ?? null;
  const reported = {
    externalOrderId,
    ...(purchase
      ? {
          order: {
            subtotalCents: purchase.arithmetic.subtotalCents,
            currency: purchase.currency,
          },
        }
      : { externalRefundId: externalRefundId ?? '' }),
    occurredAt,
  };
  const text = await openEvent(deps, event);
  if (text === null) return { ...reported, metadata: null, isErased: true };
  if (purchase === null) {
    const { reason, metadata }: SealedRefund = JSON.parse(text);
    return { ...reported, hasReason: reason !== null, metadata: maskValues(metadata) };
  }
  const { email, phone, metadata }: SealedPurchase = JSON.parse(text);
  return {
    ...reported,
    customer: { email: email && maskEmail(email), phone: phone && maskPhone(phone) },
    metadata: maskValues(metadata),
  };
}

/**
 * What an event has sealed; null where its customer was erased. A purchase whose workflow has not begun
 * carries its key itself.
 */
async function openEvent(deps: OpeningDeps, event: OrderEventDoc): Promise<string | null> {
  const { _id: context, partnerId, sealed, dataKey, receivedAt } = event;
  const text = { partnerId, sealed, context };
  const opened = await openSealed(deps, text);
  if (opened !== null || !dataKey) return opened;
  return openUnder(deps.sealer, keyDocOf(dataKey, customerOf(event), receivedAt), text);
}
