import { customerIdentity, normalizeEmail, normalizePhone } from '../../domain/customer.ts';
import { type EarningRule, selectRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Origin, PurchaseReport, SealedPurchase } from '../../domain/events.ts';
import { purchaseWorkflowId } from '../../domain/workflow-names.ts';
import { sealUnderNewKey } from '../../models/data-keys.ts';
import {
  answeredBy,
  answerFromRecord,
  type EarlierEventsFinder,
} from '../../models/order-events.ts';
import { recordPurchase } from '../../models/record-purchase.ts';
import { customerKeyOf, newToken, sha256Hex, shortKeyedHash } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { type BodyHandler, needed } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principal } from '../principals.ts';
import { originOf, respond } from './events.ts';
import type { PurchaseRequest } from './purchases.schema.ts';

const messages = {
  NO_ACTIVE_EARNING_RULE:
    'No earning rule is active for this partner and mode. Activate one first.',
  CURRENCY_MISMATCH: 'No earning rule is active in the currency of this order.',
};

/**
 * POST /api/v1/partner/purchases: creates a purchase event, or replays its stored answer. The answer
 * is one read and one insert; the workflow is started behind it (domain, The answer to a purchase).
 */
export function postPurchase(
  deps: ApiDeps,
  earlierEvents: EarlierEventsFinder,
): BodyHandler<PurchaseRequest> {
  return async (ctx, request) => {
    const { externalOrderId } = request;
    ctx.state.externalOrderId = externalOrderId;
    const origin = originOf(ctx, deps.now());
    const asked = { ...origin, type: 'PURCHASE' as const, externalOrderId };
    const earlier = answerFromRecord(await earlierEvents.find(asked), asked);
    if (earlier) return respond(ctx, earlier);

    const principal = needed(ctx, 'principal');
    const rule = ruleFor(principal, request);
    const report = reportOf(deps, principal, request, origin);
    const recorded = await recordPurchase(deps.models, report, rule);
    if ('answer' in recorded) return respond(ctx, recorded.answer);
    earlierEvents.remember(recorded.event);
    respond(ctx, answeredBy(recorded.event));
    deps.starter.begin({ ...report, purchaseEventId: report.eventId });
  };
}

const currencyOf = ({ order }: PurchaseRequest) => (order.currency ?? 'USD').toUpperCase();

/** @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH */
function ruleFor({ rules, integrationId }: Principal, request: PurchaseRequest): EarningRule {
  const rule = selectRule(rules, integrationId, currencyOf(request));
  if (typeof rule === 'string') throw new ServiceError(rule, messages[rule]);
  return rule;
}

function reportOf(
  { sealer, config }: Pick<ApiDeps, 'sealer' | 'config'>,
  { partnerId, country }: Principal,
  request: PurchaseRequest,
  origin: Origin,
): PurchaseReport {
  const { externalOrderId } = request;
  const { mode, credentialId, idempotencyKeyHash } = origin;
  const contact = {
    email: normalizeEmail(request.customer.email),
    phone: normalizePhone(request.customer.phone, country),
  };
  const claimToken = newToken();
  const eventId = newId('event', Date.parse(origin.receivedAt));
  const secret: SealedPurchase = { ...contact, claimToken, metadata: request.metadata ?? null };
  const keyHash = shortKeyedHash(config.customerHashKey, `${credentialId}\n${idempotencyKeyHash}`);
  return {
    ...origin,
    eventId,
    rewardId: newId('reward'),
    workflowId: purchaseWorkflowId(externalOrderId, mode, keyHash),
    externalOrderId,
    subtotalCents: request.order.subtotalCents,
    currency: currencyOf(request),
    occurredAt: request.occurredAt ?? null,
    customerKey: customerKeyOf(config.customerHashKey, partnerId, customerIdentity(contact)),
    claimTokenHash: sha256Hex(claimToken),
    ...sealUnderNewKey(sealer, JSON.stringify(secret), eventId),
  };
}
