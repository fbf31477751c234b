import { ServiceError } from '../../domain/errors.ts';
import type { RefundCommand, SealedRefund } from '../../domain/events.ts';
import { refusals } from '../../domain/refusals.ts';
import { findEarlierEvents } from '../../models/order-events.ts';
import { newId } from '../../platform/ids.ts';
import { refundPurchase, refundUpdateId } from '../../workflows/messages.ts';
import { ask } from '../ask.ts';
import type { BodyHandler } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { startOptions } from '../start-options.ts';
import { answerOf, originOf, respond } from './events.ts';
import type { RefundRequest } from './refunds.schema.ts';

/** POST /api/v1/partner/refunds: creates a refund event, or replays its stored answer. */
export function postRefund(deps: ApiDeps): BodyHandler<RefundRequest> {
  return async (ctx, request) => {
    const { externalOrderId, externalRefundId = `refund:${externalOrderId}` } = request;
    ctx.state.externalOrderId = externalOrderId;
    const origin = originOf(ctx, deps.now());
    const { byKey, byExternal, purchase } = await findEarlierEvents(deps.models, origin, {
      type: 'REFUND',
      externalOrderId,
      externalRefundId,
    });
    if (byKey) {
      const same = byKey.payloadHash === origin.payloadHash;
      return respond(ctx, same ? answerOf(byKey) : refusals.conflict());
    }
    if (!purchase) {
      throw new ServiceError(
        'ORIGINAL_PURCHASE_NOT_FOUND',
        `No purchase with externalOrderId ${JSON.stringify(externalOrderId)} was reported by this integration in ${origin.mode} mode.`,
      );
    }
    if (byExternal) return respond(ctx, refusals.duplicateRefund(byExternal));

    const eventId = newId('event');
    const secret: SealedRefund = {
      reason: request.reason ?? null,
      metadata: request.metadata ?? null,
    };
    const command: RefundCommand = {
      ...origin,
      eventId,
      externalOrderId,
      externalRefundId,
      occurredAt: request.occurredAt ?? null,
      sealed: deps.sealer.seal(JSON.stringify(secret), eventId),
    };
    const answer = await ask(deps, {
      workflowId: purchase.workflowId,
      update: refundPurchase,
      updateId: refundUpdateId(command),
      args: [command],
      start: { kind: 'RESUME', partnerId: origin.partnerId, purchaseEventId: purchase._id },
      ...startOptions(purchase),
    });
    respond(ctx, answer);
  };
}
