import { customerIdentity, normalizeEmail, normalizePhone } from '../../domain/customer.ts';
import { selectRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PurchaseCommand, SealedPurchase } from '../../domain/events.ts';
import { refusals } from '../../domain/refusals.ts';
import { findEarlierEvents } from '../../models/order-events.ts';
import { customerKeyOf, newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { answerPurchase, purchaseWorkflowId } from '../../workflows/messages.ts';
import { ask } from '../ask.ts';
import { type ApiContext, type BodyHandler, needed } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { startOptions } from '../start-options.ts';
import { answerOf, originOf, respond } from './events.ts';
import type { PurchaseRequest } from './purchases.schema.ts';

const messages = {
  NO_ACTIVE_EARNING_RULE:
    'No earning rule is active for this partner and mode. Activate one first.',
  CURRENCY_MISMATCH: 'No earning rule is active in the currency of this order.',
};

/** POST /api/v1/partner/purchases: creates a purchase event, or replays its stored answer. */
export function postPurchase(deps: ApiDeps): BodyHandler<PurchaseRequest> {
  return async (ctx, request) => {
    const { externalOrderId } = request;
    ctx.state.externalOrderId = externalOrderId;
    const origin = originOf(ctx, deps.now());
    const { byKey, byExternal } = await findEarlierEvents(deps.models, origin, {
      type: 'PURCHASE',
      externalOrderId,
    });
    if (byKey) {
      const same = byKey.payloadHash === origin.payloadHash;
      return respond(ctx, same ? answerOf(byKey) : refusals.conflict());
    }
    if (byExternal) return respond(ctx, refusals.duplicateOrder(byExternal));

    const command = commandOf(deps, ctx, request, origin);
    const answer = await ask(deps, {
      workflowId: purchaseWorkflowId(origin.mode, origin.credentialId, origin.idempotencyKeyHash),
      update: answerPurchase,
      updateId: origin.payloadHash,
      args: [{ payloadHash: origin.payloadHash }],
      start: { kind: 'RECORD', command },
      ...startOptions(command),
    });
    respond(ctx, answer);
  };
}

function commandOf(
  { sealer, config }: ApiDeps,
  ctx: ApiContext,
  request: PurchaseRequest,
  origin: ReturnType<typeof originOf>,
): PurchaseCommand {
  const { rules, integrationId, partnerId, country } = needed(ctx, 'principal');
  const currency = (request.order.currency ?? 'USD').toUpperCase();
  const rule = selectRule(rules, integrationId, currency);
  if (typeof rule === 'string') throw new ServiceError(rule, messages[rule]);
  const contact = {
    email: normalizeEmail(request.customer.email),
    phone: normalizePhone(request.customer.phone, country),
  };
  const claimToken = newToken();
  const eventId = newId('event');
  const secret: SealedPurchase = { ...contact, claimToken, metadata: request.metadata ?? null };
  return {
    ...origin,
    eventId,
    rewardId: newId('reward'),
    externalOrderId: request.externalOrderId,
    subtotalCents: request.order.subtotalCents,
    currency,
    occurredAt: request.occurredAt ?? null,
    ruleId: rule.ruleId,
    customerKey: customerKeyOf(config.customerHashKey, partnerId, customerIdentity(contact)),
    claimTokenHash: sha256Hex(claimToken),
    sealed: sealer.seal(JSON.stringify(secret), eventId),
  };
}
