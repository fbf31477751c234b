import { type Answer, withClaimUrl } from '../domain/answers.ts';
import { customerIdentity, normalizeEmail, normalizePhone } from '../domain/customer.ts';
import { activeCurrencies, type EarningRule, selectRule } from '../domain/earning-rules.ts';
import { ServiceError } from '../domain/errors.ts';
import {
  claimUrlOf,
  type Delivery,
  type Origin,
  type PurchaseReport,
  type PurchaseRequest,
  type SealedPurchase,
} from '../domain/purchase.ts';
import { purchaseWorkflowId } from '../domain/workflow-names.ts';
import { answeredBy, answerFromRecord } from '../models/events/order-events.ts';
import { sealUnderNewKey } from '../models/store/data-keys.ts';
import { customerIdOf, newToken, sha256Hex, shortKeyedHash } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import type { EventsDeps } from './deps.ts';
import { orderName } from './order-name.ts';
import { recordPurchase } from './record-purchase.ts';

/** The partner's terms that apply to a purchase. */
export interface PurchaseTerms {
  /** The active rules. */
  rules: readonly EarningRule[];
  /** The country of phone numbers without a country code. */
  country: string;
  /** Who delivers claim links to customers. */
  delivery: Delivery;
}

/**
 * Records a purchase, or finds its stored response: one read and one insert. A worker's sweep
 * starts its workflow afterwards (docs/domain.md, Purchases).
 * @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH
 */
export async function reportPurchase(
  deps: EventsDeps,
  origin: Origin,
  request: PurchaseRequest,
  terms: PurchaseTerms,
): Promise<Answer> {
  const { earlierEvents } = deps;
  const { externalOrderId } = request;
  const newEvent = { ...origin, type: 'PURCHASE' as const, externalOrderId };
  const earlier = await answerFromRecord(deps, await earlierEvents.find(newEvent), newEvent);
  if (earlier) return earlier;
  const rule = ruleFor(terms, origin, request);
  const { report, claimUrl } = reportOf(deps, terms, request, origin);
  const recorded = await recordPurchase(deps, report, rule);
  if ('answer' in recorded) return recorded.answer;
  const { event } = recorded;
  earlierEvents.remember(event);
  return answeredBy(claimUrl ? { ...event, answer: withClaimUrl(event.answer, claimUrl) } : event);
}

const currencyOf = ({ order }: PurchaseRequest) => (order.currency ?? 'USD').toUpperCase();

/** @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH */
export function ruleFor(
  { rules }: PurchaseTerms,
  { integrationId }: Origin,
  request: PurchaseRequest,
): EarningRule {
  const currency = currencyOf(request);
  const rule = selectRule(rules, integrationId, currency);
  if (rule === 'NO_ACTIVE_EARNING_RULE') {
    const message = 'No earning rule is active for this partner in this mode. Activate one first.';
    throw new ServiceError(rule, message);
  }
  if (rule === 'CURRENCY_MISMATCH') {
    const accepted = activeCurrencies(rules, integrationId).join(', ');
    const message = `No earning rule is active in ${currency}. Accepted: ${accepted}.`;
    throw new ServiceError(rule, message);
  }
  return rule;
}

/** What is recorded of a purchase request. */
export function reportOf(
  { sealer, config }: Pick<EventsDeps, 'sealer' | 'config'>,
  { country, delivery }: PurchaseTerms,
  request: PurchaseRequest,
  origin: Origin,
): { report: PurchaseReport; claimUrl: string | null } {
  const { externalOrderId } = request;
  const { partnerId, mode, credentialId, idempotencyKeyHash } = origin;
  const contact = {
    email: normalizeEmail(request.customer.email),
    phone: normalizePhone(request.customer.phone, country),
  };
  const claimToken = newToken();
  const eventId = newId('event', Date.parse(origin.receivedAt));
  const claimUrl = delivery === 'PARTNER' ? claimUrlOf(config.portal.url, claimToken) : null;
  const metadata = request.metadata ?? null;
  const secret: SealedPurchase = { ...contact, claimToken, claimUrl, metadata };
  const keyHash = shortKeyedHash(config.customerHashKey, `${credentialId}\n${idempotencyKeyHash}`);
  const order = { partnerId, country, externalOrderId };
  const name = orderName(config.customerHashKey, order);
  const report = {
    ...origin,
    eventId,
    rewardId: newId('reward'),
    workflowId: purchaseWorkflowId(name, mode, keyHash),
    externalOrderId,
    subtotalCents: request.order.subtotalCents,
    currency: currencyOf(request),
    occurredAt: request.occurredAt ?? null,
    customerId: customerIdOf(config.customerHashKey, partnerId, customerIdentity(contact)),
    delivery,
    claimTokenHash: sha256Hex(claimToken),
    ...sealUnderNewKey(sealer, JSON.stringify(secret), eventId),
  };
  return { report, claimUrl };
}
