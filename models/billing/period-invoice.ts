import { microsText } from '../../domain/money.ts';
import { type PeriodTerms, useOf } from '../../domain/plan-arithmetic.ts';
import type { InvoiceLine, PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import { type InvoiceDraft, invoiceIdOf } from './invoices.ts';

/** An upgrade in the middle of a period. */
export interface Proration {
  changeId: string;
  dueCents: number;
  at: Date;
}

/** `1 point`, `2,600 extra points` */
const pointsText = (points: number, which = ''): string =>
  `${points.toLocaleString('en-US')} ${which}${points === 1 ? 'point' : 'points'}`;

/** Names the plans, with their versions if they are versions of the same plan. */
function upgradeText(from: PlanVersionDoc, to: PlanVersionDoc): string {
  const named = ({ name, version }: PlanVersionDoc) =>
    from.name === to.name ? `${name} (version ${version})` : name;
  return `Upgrade from ${named(from)} to ${named(to)}, prorated`;
}

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
  const price: InvoiceLine = {
    kind: 'PLAN',
    description: `${plan.name}, ${pointsText(terms.includedPoints)} included`,
    amountCents: terms.priceCents,
  };
  if (overagePoints === 0) return [price];
  return [
    price,
    {
      kind: 'OVERAGE',
      description: `${pointsText(overagePoints, 'extra ')} at ${microsText(terms.overageRateMicrosPerPoint, plan.currency)}`,
      amountCents: overageCents,
    },
  ];
}

/** @param creditCents used from the subscription's credit, not negative */
export function periodInvoice(
  subscription: SubscriptionDoc,
  plan: PlanVersionDoc,
  lines: InvoiceLine[],
  creditCents: number,
  issuedAt: Date,
): InvoiceDraft {
  const credit: InvoiceLine = {
    kind: 'CREDIT',
    description: 'Credit for points returned from earlier periods',
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
    description: upgradeText(from, to),
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
