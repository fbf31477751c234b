import { paymentStatusAt } from '../../domain/invoice.ts';
import type { Mode } from '../../domain/mode.ts';
import { walletOf } from '../../domain/postings.ts';
import {
  type BillingStatus,
  billingStatusFrom,
  newestInvoices,
  readRunway,
} from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import type { InvoiceDoc, PlanVersionDoc } from '../../models/schemas/billing.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { Models } from '../../models/schemas/index.ts';
import { readUsageFigures } from '../../views/usage.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import type { Principal } from '../principals.ts';
import { sharedResponse } from '../shared-response.ts';

/** The account whose figures are read, and the instant they are read for. */
export interface AccountHolder
  extends Pick<Principal, 'partnerId' | 'integrationId' | 'mode' | 'currency' | 'billingStatus'> {
  /** ISO 8601. The billing status is the one at this instant. */
  at: string;
}

/**
 * Responds to a GET with the figures of the caller's account.
 * @param read reads the body of the response
 */
export function accountResponse(
  { models, now }: Pick<AccountDeps, 'models' | 'now'>,
  read: (holder: AccountHolder) => Promise<unknown>,
): ApiMiddleware {
  return sharedResponse(
    (ctx) => {
      const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
      return `${partnerId}/${integrationId}/${mode}`;
    },
    async (ctx) => {
      const {
        partnerId,
        integrationId,
        mode,
        currency,
        billingStatus: known,
      } = requireState(ctx, 'principal');
      const at = new Date(now()).toISOString();
      const billingStatus = await billingStatusFrom(models, known, partnerId, at);
      return await read({ partnerId, integrationId, mode, currency, billingStatus, at });
    },
  );
}

/** A plan version as partners see it (docs/integrate/reconciliation.md, Reads). */
export function presentPlanVersion(plan: PlanVersionDoc) {
  return {
    id: plan._id,
    planCode: plan.planCode,
    version: plan.version,
    name: plan.name,
    currency: plan.currency,
    monthlyPriceCents: plan.monthlyPriceCents,
    annualPriceCents: plan.annualPriceCents,
    includedPoints: plan.includedPoints,
    overageRateMicrosPerPoint: plan.overageRateMicrosPerPoint,
    apiRateLimitPerMinute: plan.apiRateLimitPerMinute,
    supportClass: plan.supportClass,
    features: plan.features,
    publishedAt: plan.publishedAt?.toISOString() ?? null,
  };
}

/** GET plans: the published plan versions, the newest of each plan first. */
export function getPlans({ publishedPlans }: Pick<AccountDeps, 'publishedPlans'>): ApiMiddleware {
  return sharedResponse(
    () => 'plans',
    async () => ({ success: true, plans: (await publishedPlans()).map(presentPlanVersion) }),
  );
}

const maxInvoices = 12;

/** GET billing. */
export function getBilling(deps: AccountDeps): ApiMiddleware {
  return accountResponse(deps, (holder) => readBilling(deps, holder));
}

/**
 * A partner's subscription, plan, wallet and newest 12 invoices (docs/integrate/reconciliation.md, Reads). Subscription
 * and invoices are the same in both modes; the wallet is the mode's.
 */
export async function readBilling(
  deps: AccountDeps,
  { partnerId, mode, billingStatus, at }: AccountHolder,
) {
  const { models } = deps;
  const [partner, { fundingCents, reservedCents }, invoices] = await Promise.all([
    findPartner(models, partnerId),
    walletBalances(models, { partnerId, mode }),
    newestInvoices(models, partnerId, maxInvoices),
  ]);
  const runwayDays = mode === 'LIVE' ? await readRunway(models, partnerId, fundingCents, at) : null;
  const { planVersion } = billingStatus;
  return {
    success: true,
    mode,
    subscription: presentSubscription(billingStatus),
    planVersion: planVersion && presentPlanVersion(planVersion),
    wallet: {
      currency: partner.currency,
      balanceCents: fundingCents + reservedCents,
      reservedCents,
      availableCents: fundingCents,
      asOf: at,
    },
    rewardFunding: {
      balanceCents: fundingCents,
      lowBalanceThresholdCents: partner.lowBalanceThresholdCents,
      runwayDays,
    },
    invoices: invoices.map((invoice) => presentInvoice(invoice, new Date(at))),
  };
}

/** The subscription in the current period, even if the previous one is not invoiced yet. */
function presentSubscription({ subscription, period }: BillingStatus) {
  if (subscription === null) return null;
  return {
    id: subscription._id,
    status: subscription.status,
    interval: subscription.interval,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    pendingPlanVersionId: subscription.pendingPlanVersionId,
    endsAt: subscription.endsAt?.toISOString() ?? null,
  };
}

/** An invoice as partners and operators see it at a given time. */
export function presentInvoice(invoice: InvoiceDoc, at: Date) {
  return {
    id: invoice._id,
    number: invoice.number,
    kind: invoice.kind,
    status: invoice.status,
    paymentStatus: paymentStatusAt(invoice, at),
    currency: invoice.currency,
    lines: invoice.lines,
    issuer: invoice.issuer ?? null,
    billedTo: invoice.billedTo ?? null,
    totalCents: invoice.totalCents,
    paymentReference: invoice.paymentReference,
    payments: invoice.payments.map(({ recordedAt: _, ...payment }) => payment),
    reversals: invoice.reversals.map((one) => ({
      ...one,
      reversedAt: one.reversedAt.toISOString(),
    })),
    paidCents: invoice.paidCents,
    creditNote: invoice.creditNote,
    periodStart: invoice.periodStart.toISOString(),
    periodEnd: invoice.periodEnd.toISOString(),
    issuedAt: invoice.issuedAt.toISOString(),
    dueAt: invoice.dueAt.toISOString(),
  };
}

const newest = 20;
const shown = {
  _id: 1,
  type: 1,
  externalOrderId: 1,
  'purchase.arithmetic.points': 1,
  rewardPoints: 1,
  occurredAt: 1,
  receivedAt: 1,
} as const;

type ShownEvent = Pick<
  OrderEventDoc,
  '_id' | 'type' | 'externalOrderId' | 'occurredAt' | 'receivedAt' | 'purchase' | 'rewardPoints'
>;

/** The 20 newest order events of a partner in one mode, newest first. */
export async function recentEvents(models: Models, partnerId: string, mode: Mode) {
  const events = await models.orderEvents.collection
    .find<ShownEvent>(
      { partnerId, mode },
      { projection: shown, sort: { _id: -1 }, limit: newest, batchSize: newest, singleBatch: true },
    )
    .toArray();
  return events.map((event) => ({
    eventId: event._id,
    type: event.type,
    externalOrderId: event.externalOrderId,
    points: pointsOf(event),
    occurredAt: event.occurredAt?.toISOString() ?? null,
    receivedAt: event.receivedAt.toISOString(),
  }));
}

/** The points of the event's reward. */
function pointsOf({ purchase, rewardPoints = 0 }: ShownEvent): number {
  return purchase?.arithmetic.points ?? rewardPoints;
}

/** GET usage. */
export function getUsage(deps: AccountDeps): ApiMiddleware {
  return accountResponse(deps, (holder) => readAccountUsage(deps, holder));
}

/** A partner's usage in the current billing period, with its newest events. */
export async function readAccountUsage(deps: AccountDeps, holder: AccountHolder) {
  const { partnerId, mode, currency, billingStatus, at } = holder;
  const [figures, events] = await Promise.all([
    readUsageFigures(deps, walletOf(holder), billingStatus, at),
    recentEvents(deps.models, partnerId, mode),
  ]);
  const { terms, counted, rewardLiabilityCents, projection, recommendation } = figures;
  return {
    success: true,
    mode,
    currency,
    billingPeriod: billingStatus.period,
    includedPoints: terms.includedPoints,
    includedPointsConsumed: counted.includedPointsConsumed,
    overagePoints: counted.overagePoints,
    accruedOverageCents: counted.overageCents,
    rewardLiabilityCents,
    projection,
    recommendation,
    recentEvents: events,
  };
}
