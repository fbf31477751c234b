import { earningDayOf, redemptionDayOf } from '../domain/customer-days.ts';
import { claimTimes } from '../domain/earning-rules.ts';
import { computePoints, explainPoints } from '../domain/points.ts';
import { liabilityCentsOf } from '../domain/postings.ts';
import type { Origin, PurchaseRequest } from '../domain/purchase.ts';
import { spendable } from '../domain/redemption.ts';
import { countedIn } from '../domain/rule-budgets.ts';
import { dayIn } from '../domain/time-zones.ts';
import { customerOfContact } from '../models/identity/customer-of-contact.ts';
import { pendingPoints, reviewedHoldings } from '../models/ledger/index.ts';
import { customerDayPoints } from '../models/store/customer-days.ts';
import { budgetLeft } from '../models/store/rule-budgets.ts';
import type { EventsDeps } from './deps.ts';
import { type PurchaseTerms, ruleFor } from './purchase.ts';
import { type CheckoutTerms, redemptionDay } from './redemptions.ts';

type Asking = Pick<Origin, 'partnerId' | 'integrationId' | 'mode'>;
type Deps = Pick<EventsDeps, 'models' | 'config'>;

/**
 * What a purchase would give now: its points, and why. Stores nothing. Without a customer, a daily cap is
 * taken as unused.
 * @throws ServiceError NO_ACTIVE_EARNING_RULE or CURRENCY_MISMATCH
 */
export async function quote(
  { models, config }: Deps,
  { partnerId, mode, ...asking }: Asking & PurchaseTerms,
  { order, customer }: Pick<PurchaseRequest, 'order'> & Partial<Pick<PurchaseRequest, 'customer'>>,
  at: Date,
) {
  const { country, timeZone } = asking;
  const rule = ruleFor(asking, asking, { order });
  const cap = rule.capPerCustomerDayPoints;
  const day = () => dayIn(timeZone, at.toISOString());
  let left = cap;
  if (cap !== null && customer !== undefined) {
    const partner = { _id: partnerId, country };
    const customerId = customerOfContact(config.customerHashKey, partner, customer);
    const days = earningDayOf({ mode, customerId, customerDay: day() });
    left = Math.max(0, cap - (await customerDayPoints(models, partnerId, days)));
  }
  const budget = rule.budget && countedIn(rule.budget, day());
  const ofBudget = await budgetLeft(models, { partnerId, mode }, budget);
  const arithmetic = computePoints(rule, order.subtotalCents, at.getTime(), left, ofBudget);
  const { points } = arithmetic;
  const cents = liabilityCentsOf(points, rule);
  const now = { receivedAt: at.toISOString(), occurredAt: null };
  return {
    points,
    explanation: explainPoints(arithmetic, rule, cents).sentence,
    ruleId: rule.ruleId,
    claimWindow: rule.claimWindow,
    claimableFrom: claimTimes(rule, now).claimableFrom,
  };
}

/** What a customer can spend now, holds at a checkout, and has not claimed yet, and when points end; zeros for a stranger. */
export async function balanceOf(
  { models, config }: Deps,
  asking: Asking & CheckoutTerms,
  customer: PurchaseRequest['customer'],
  at: Date,
) {
  const { partnerId, mode, country, currency, redemptions } = asking;
  const partner = { _id: partnerId, country };
  const customerId = customerOfContact(config.customerHashKey, partner, customer);
  const of = { partnerId, customerId };
  const customerDay = redemptionDay(asking, at.toISOString());
  const days = redemptionDayOf({ mode, customerId, customerDay });
  const [{ spendable: held, heldPoints, ending }, pending, today] = await Promise.all([
    reviewedHoldings(models, of, mode),
    pendingPoints(models, { ...of, mode }),
    customerDayPoints(models, partnerId, days),
  ]);
  const rate = { currency, pointsPerUnit: redemptions.pointsPerUnit };
  return {
    currency,
    ...spendable(held, today, redemptions, rate),
    heldPoints,
    pendingPoints: pending,
    endingPoints: ending?.points ?? 0,
    endsAt: ending?.at.toISOString() ?? null,
  };
}
