import { type Answer, purchaseAnswer, withClaimUrl } from '../domain/answers.ts';
import { customerIdentity, normalizePhone, phoneIdentity } from '../domain/customer.ts';
import { countedOn, countOn, earningDayOf } from '../domain/customer-days.ts';
import { due } from '../domain/due.ts';
import {
  activeCurrencies,
  claimTimes,
  type EarningRule,
  selectRule,
} from '../domain/earning-rules.ts';
import { normalizeEmail } from '../domain/email.ts';
import { ServiceError } from '../domain/errors.ts';
import { computePoints } from '../domain/points.ts';
import { liabilityCentsOf } from '../domain/postings.ts';
import {
  claimUrlOf,
  type Delivery,
  type Origin,
  type PurchaseReport,
  type PurchaseRequest,
  type SealedPurchase,
} from '../domain/purchase.ts';
import {
  budgetId,
  type CountedBudget,
  countedIn,
  leftOfBudget,
  spendBudget,
} from '../domain/rule-budgets.ts';
import { dayIn } from '../domain/time-zones.ts';
import { purchaseWorkflowId } from '../domain/workflow-names.ts';
import { answeredBy, findEarlierEvents } from '../models/events/order-events.ts';
import { rewardOf } from '../models/rewards/create.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import { customerIdOf, newToken, sha256Hex, shortKeyedHash } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import { answerOnce } from './answer-once.ts';
import type { EventsDeps } from './deps.ts';
import { orderName } from './order-name.ts';

/** The partner's terms that apply to a purchase. */
export interface PurchaseTerms {
  /** The active rules. */
  rules: readonly EarningRule[];
  /** The country of phone numbers without a country code. */
  country: string | null;
  /** Who delivers claim links to customers. */
  delivery: Delivery;
  /** In which a customer's day begins and ends. */
  timeZone: string;
}

/**
 * Records a purchase, or finds its stored response: one read, one insert (docs/concepts/how-it-works.md, Purchases).
 * @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH
 */
export async function reportPurchase(
  deps: EventsDeps,
  origin: Origin,
  request: PurchaseRequest,
  terms: PurchaseTerms,
): Promise<Answer> {
  const { externalOrderId } = request;
  const newEvent = { ...origin, type: 'PURCHASE' as const, externalOrderId };
  return await answerOnce(
    () => findEarlierEvents(deps, newEvent),
    async () => {
      const rule = ruleFor(terms, origin, request);
      const { report, claimUrl } = reportOf(deps, terms, request, origin);
      const event = await recordPurchase(deps, report, rule, terms.timeZone);
      return answeredBy(
        claimUrl ? { ...event, answer: withClaimUrl(event.answer, claimUrl) } : event,
      );
    },
  );
}

/**
 * Records a purchase; only one under a cap per customer and day, or a budget, reads anything else, and takes a
 * transaction.
 */
export async function recordPurchase(
  { commit }: EventsDeps,
  report: PurchaseReport,
  rule: EarningRule,
  timeZone: string,
): Promise<OrderEventDoc> {
  const { partnerId, mode, customerId, occurredAt, receivedAt } = report;
  const day = () => dayIn(timeZone, occurredAt ?? receivedAt);
  const cap = rule.capPerCustomerDayPoints;
  const customerDay = cap === null ? null : day();
  const days = earningDayOf({ mode, customerId, customerDay });
  const budget = rule.budget && countedIn(rule.budget, day());
  const useId = budget && budgetId(report, budget);
  return await commit({
    partnerId,
    wallet: null,
    customerDays: days,
    budgetIds: useId === undefined ? [] : [useId],
    isOneEvent: customerDay === null && budget === undefined,
    decide(draft, { at }) {
      const left = cap === null ? null : Math.max(0, cap - countedOn(draft, days));
      const used = useId === undefined ? undefined : draft.budgets.get(useId);
      const budgetLeft = budget && leftOfBudget(budget, used);
      const event = purchaseEvent(report, rule, { customerDay, left, budget, budgetLeft });
      const reward = rewardOf(event);
      countOn(draft, days, reward.points);
      spendBudget(draft, reward, at);
      draft.insert('orderEvents', event);
      return event;
    },
  });
}

/**
 * The event of a purchase, with its response.
 * @param caps the customer's day and what is left of its cap, and the budget and what is left of it, as far as the
 *   rule has them
 */
export function purchaseEvent(
  report: PurchaseReport,
  rule: EarningRule,
  {
    customerDay,
    left,
    budget,
    budgetLeft,
  }: {
    customerDay: string | null;
    left: number | null;
    budget?: CountedBudget | undefined;
    budgetLeft?: number | undefined;
  },
): OrderEventDoc {
  const { eventId, rewardId, customerId, phoneId, delivery, claimTokenHash, currency, ...others } =
    report;
  const { subtotalCents, ...rest } = others;
  const purchasedAtMs = Date.parse(report.occurredAt ?? report.receivedAt);
  const arithmetic = computePoints(rule, subtotalCents, purchasedAtMs, left, budgetLeft);
  const { points } = arithmetic;
  const times = claimTimes(rule, report);
  const traceparent = currentTraceparent();
  return {
    ...rest,
    _id: eventId,
    type: 'PURCHASE',
    rewardId,
    purchaseEventId: eventId,
    receivedAt: new Date(report.receivedAt),
    occurredAt: report.occurredAt === null ? null : new Date(report.occurredAt),
    answer: JSON.stringify(purchaseAnswer(report, { rewardId, points, ...times })),
    purchase: {
      currency,
      customerId,
      ...(phoneId !== undefined && { phoneId }),
      delivery,
      claimTokenHash,
      claimWindow: rule.claimWindow,
      claimExpiresAt: new Date(times.claimExpiresAt),
      ...(times.claimableFrom !== null && { claimableFrom: new Date(times.claimableFrom) }),
      arithmetic,
      liabilityCents: liabilityCentsOf(points, rule),
      customerDay,
      ...(budget && { budget }),
    },
    externalRefundId: null,
    due: due('START', new Date(report.receivedAt)),
    ...(traceparent !== undefined && { traceparent }),
  };
}

const currencyOf = ({ order }: Pick<PurchaseRequest, 'order'>) =>
  (order.currency ?? 'USD').toUpperCase();

/** @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH */
export function ruleFor(
  { rules }: Pick<PurchaseTerms, 'rules'>,
  { integrationId }: Pick<Origin, 'integrationId'>,
  request: Pick<PurchaseRequest, 'order'>,
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

/**
 * What is recorded of a purchase request.
 * @throws ServiceError VALIDATION_FAILED if the contact identifies nobody
 */
export function reportOf(
  { sealer, config }: Pick<EventsDeps, 'sealer' | 'config'>,
  { country, delivery }: Pick<PurchaseTerms, 'country' | 'delivery'>,
  request: PurchaseRequest,
  origin: Origin,
): { report: PurchaseReport; claimUrl: string | null } {
  const { externalOrderId, metadata = null } = request;
  const { partnerId, mode, credentialId, idempotencyKeyHash } = origin;
  const contact = {
    email: normalizeEmail(request.customer.email),
    phone: normalizePhone(request.customer.phone, country),
  };
  const claimToken = newToken();
  const eventId = newId('event', Date.parse(origin.receivedAt));
  const claimUrl = delivery === 'PARTNER' ? claimUrlOf(config.portal.url, claimToken) : null;
  const secret: SealedPurchase = { ...contact, claimToken, claimUrl, metadata };
  const keyHash = shortKeyedHash(config.customerHashKey, `${credentialId}\n${idempotencyKeyHash}`);
  const order = { partnerId, country, externalOrderId };
  const name = orderName(config.customerHashKey, order);
  const otherIdentity = phoneIdentity(contact);
  const idOf = (identity: string) => customerIdOf(config.customerHashKey, partnerId, identity);
  const report = {
    ...origin,
    eventId,
    rewardId: newId('reward'),
    workflowId: purchaseWorkflowId(name, mode, keyHash),
    externalOrderId,
    subtotalCents: request.order.subtotalCents,
    currency: currencyOf(request),
    occurredAt: request.occurredAt ?? null,
    customerId: idOf(customerIdentity(contact)),
    ...(otherIdentity !== null && { phoneId: idOf(otherIdentity) }),
    delivery,
    claimTokenHash: sha256Hex(claimToken),
    sealed: sealer.seal(JSON.stringify(secret), eventId),
  };
  return { report, claimUrl };
}
