import { ServiceError } from '../../domain/errors.ts';
import type { Origin, RefundCommand, SealedRefund } from '../../domain/events.ts';
import { refusals } from '../../domain/refusals.ts';
import { ask } from '../../http/ask.ts';
import { sealForCustomer } from '../../models/data-keys.ts';
import {
  answerFromRecord,
  customerOf,
  type EarlierEventsFinder,
  hasMostRefunds,
} from '../../models/order-events.ts';
import { newId } from '../../platform/ids.ts';
import { refundPurchase, refundUpdateId } from '../../workflows/messages.ts';
import type { BodyHandler } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { originOf, respond } from './events.ts';
import type { RefundRequest } from './refunds.schema.ts';

/** POST /api/v1/partner/refunds: creates a refund event, or replays its stored answer. */
export function postRefund(
  deps: ApiDeps,
  earlierEvents: EarlierEventsFinder,
): BodyHandler<RefundRequest> {
  return async (ctx, request) => {
    const { externalOrderId, externalRefundId = `refund:${externalOrderId}` } = request;
    ctx.state.externalOrderId = externalOrderId;
    const origin = originOf(ctx, deps.now());
    const asked = { ...origin, type: 'REFUND' as const, externalOrderId, externalRefundId };
    const earlier = await earlierEvents.find(asked);
    const { purchase } = earlier;
    const standing = answerFromRecord(earlier, asked);
    if (standing && (purchase || earlier.byKey)) return respond(ctx, standing);
    if (!purchase) throw unknownPurchase(externalOrderId, origin);
    const ofPurchase = { ...purchase, purchaseEventId: purchase._id };
    if (await hasMostRefunds(deps.models, ofPurchase)) {
      return respond(ctx, refusals.tooManyRefunds(purchase));
    }

    const eventId = newId('event', Date.parse(origin.receivedAt));
    const secret: SealedRefund = {
      reason: request.reason ?? null,
      metadata: request.metadata ?? null,
    };
    const command: RefundCommand = {
      ...origin,
      eventId,
      workflowId: purchase.workflowId,
      externalOrderId,
      externalRefundId,
      occurredAt: request.occurredAt ?? null,
      sealed: await sealForCustomer(deps, customerOf(purchase), JSON.stringify(secret), eventId),
    };
    const answer = await ask(deps, {
      purchase: ofPurchase,
      update: refundPurchase,
      updateId: refundUpdateId(command),
      args: [command],
    });
    respond(ctx, answer);
  };
}

function unknownPurchase(externalOrderId: string, { mode }: Pick<Origin, 'mode'>): ServiceError {
  return new ServiceError(
    'ORIGINAL_PURCHASE_NOT_FOUND',
    `No purchase with externalOrderId ${JSON.stringify(externalOrderId)} was reported by this integration in ${mode} mode.`,
  );
}
