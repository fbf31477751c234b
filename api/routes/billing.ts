import { runwayDays, runwayWindowDays } from '../../domain/runway.ts';
import { walletOf } from '../../domain/wallet.ts';
import { type BillingStatus, newestInvoices, usageOfLastDays } from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import { type AccountHolder, accountResponse } from '../account-response.ts';
import type { ApiMiddleware } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { presentPlanVersion } from './plans.ts';

const maxInvoices = 12;

/** GET billing. */
export function getBilling(deps: AccountDeps): ApiMiddleware {
  return accountResponse(deps, (holder) => readBilling(deps, holder));
}

/**
 * A partner's subscription, plan, wallet and newest 12 invoices (docs/contract.md, Reads). Subscription
 * and invoices are the same in both modes; the wallet is the mode's.
 */
export async function readBilling(
  deps: AccountDeps,
  { partnerId, integrationId, mode, billingStatus, at }: AccountHolder,
) {
  const { models } = deps;
  const [partner, balances, days, invoices] = await Promise.all([
    findPartner(models, partnerId),
    walletBalances(models, walletOf({ partnerId, mode, integrationId })),
    mode === 'LIVE' ? usageOfLastDays(models, partnerId, at, runwayWindowDays) : [],
    newestInvoices(models, partnerId, maxInvoices),
  ]);
  const { planVersion } = billingStatus;
  const { fundingCents, reservedCents } = balances;
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
      runwayDays: runwayDays(
        fundingCents,
        days.map(({ cents }) => cents),
      ),
    },
    invoices: invoices.map(presentInvoice),
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

/** An invoice as partners and operators see it. */
export function presentInvoice(invoice: InvoiceDoc) {
  return {
    id: invoice._id,
    number: invoice.number,
    kind: invoice.kind,
    status: invoice.status,
    paymentStatus: invoice.paymentStatus,
    currency: invoice.currency,
    lines: invoice.lines,
    issuer: invoice.issuer ?? null,
    billedTo: invoice.billedTo ?? null,
    totalCents: invoice.totalCents,
    periodStart: invoice.periodStart.toISOString(),
    periodEnd: invoice.periodEnd.toISOString(),
    issuedAt: invoice.issuedAt.toISOString(),
    dueAt: invoice.dueAt.toISOString(),
  };
}
