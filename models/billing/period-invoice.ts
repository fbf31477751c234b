import { type PeriodTerms, useOf } from '../../domain/plan-arithmetic.ts';
import type { InvoiceLine } from '../schemas/invoice.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';
import type { Proration, SubscriptionDoc } from '../schemas/subscription.ts';
import { type InvoiceDraft, invoiceIdOf } from './invoices.ts';

/** The id of the invoice for the subscription's current period. */
export function periodInvoiceId({ _id, currentPeriodStart, currentPeriodEnd }: SubscriptionDoc) {
  const what = `PERIOD:${currentPeriodStart.toISOString()}`;
  return invoiceIdOf(_id, what, currentPeriodEnd.getTime());
}

/** What a period costs before credits: the plan's price and the overage. */
export function periodLines(
  terms: PeriodTerms,
  plan: PlanVersionDoc,
  points: number,
): InvoiceLine[] {
  const { overagePoints, overageCents } = useOf(points, terms);
  const rate = `${terms.overageRateMicrosPerPoint} micros`;
  const price: InvoiceLine = {
    kind: 'PLAN',
    description: `${plan.name}, version ${plan.version}, ${terms.includedPoints} points included`,
    amountCents: terms.priceCents,
  };
  if (overagePoints === 0) return [price];
  return [
    price,
    {
      kind: 'OVERAGE',
      description: `${overagePoints} points past those included, ${rate} of ${plan.currency} each`,
      amountCents: overageCents,
    },
  ];
}

/** @param creditCents taken from the subscription's credit, not negative */
export function periodInvoice(
  subscription: SubscriptionDoc,
  plan: PlanVersionDoc,
  lines: InvoiceLine[],
  creditCents: number,
  issuedAt: Date,
): InvoiceDraft {
  const credit: InvoiceLine = {
    kind: 'CREDIT',
    description: 'points given back to periods billed before',
    amountCents: -creditCents,
  };
  return {
    ...commonFields(subscription, plan),
    _id: periodInvoiceId(subscription),
    kind: 'PERIOD',
    changeId: null,
    terms: subscription.terms,
    lines: creditCents > 0 ? [...lines, credit] : lines,
    issuedAt,
  };
}

export function prorationInvoice(
  subscription: SubscriptionDoc,
  { changeId, dueCents, at }: Proration,
  from: PlanVersionDoc,
  to: PlanVersionDoc,
): InvoiceDraft {
  const line: InvoiceLine = {
    kind: 'PRORATION',
    description: `from ${from.name}, version ${from.version}, to ${to.name}, version ${to.version}, for the rest of the period`,
    amountCents: dueCents,
  };
  return {
    ...commonFields(subscription, to),
    _id: invoiceIdOf(subscription._id, `PRORATION:${changeId}`, at.getTime()),
    kind: 'PRORATION',
    changeId,
    terms: null,
    lines: [line],
    issuedAt: at,
  };
}

function commonFields(subscription: SubscriptionDoc, plan: PlanVersionDoc) {
  return {
    partnerId: subscription.partnerId,
    subscriptionId: subscription._id,
    planVersionId: plan._id,
    currency: plan.currency,
    periodStart: subscription.currentPeriodStart,
    periodEnd: subscription.currentPeriodEnd,
  };
}
