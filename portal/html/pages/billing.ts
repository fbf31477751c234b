import { termsOf } from '../../../domain/billing.ts';
import {
  type BillingStatus,
  invoiceKindWords,
  invoiceSheet,
} from '../../../models/billing/index.ts';
import type { InvoiceDoc } from '../../../models/schemas/billing.ts';
import type { InvoicePdfJob } from '../../../models/schemas/jobs.ts';
import type { Billing } from '../../../models/views/billing.ts';
import type { PageContext } from '../../context.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  printButton,
  section,
  table,
} from '../components.ts';
import { day, money, moneyText, number } from '../format.ts';
import { fundingMetric } from '../funding-metric.ts';
import { type Html, html, type Part } from '../html.ts';
import { invoiceCard, invoicePdfPart } from '../invoice.ts';
import { metrics } from '../metrics.ts';
import { pager } from '../pager.ts';
import { planFacts, proratedFacts } from '../plan-terms.ts';
import { type Page, page } from '../view.ts';

export function billingPage(
  ctx: PageContext<'partner'>,
  { account, funding, invoices }: Billing,
): Page {
  const { currency } = ctx.state.viewer.partner;
  const { fundingCents, reservedCents } = funding;
  return page(
    {
      title: 'Billing',
      lead: 'Your plan and its invoices, and the funding of your rewards.',
      isLiveOnly: true,
    },
    metrics([
      {
        name: 'Wallet',
        value: moneyText(fundingCents + reservedCents, currency),
        note: 'Free and reserved',
        href: '/funding',
      },
      fundingMetric(funding, currency),
      {
        name: 'Reserved',
        value: moneyText(reservedCents, currency),
        note: 'For rewards not claimed yet',
      },
    ]),
    section('Subscription', subscriptionPart(account)),
    section('Invoices', invoiceTable(invoices.items), pager(ctx, invoices.nextCursor)),
  );
}

export function invoicePage(
  ctx: PageContext<'partner'>,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
  job: InvoicePdfJob | null,
): Page {
  return page(
    {
      title: `Invoice ${invoice.number}`,
      crumbs: [['Billing', '/billing']],
      actions: printButton(),
      isLiveOnly: true,
    },
    invoiceCard(invoiceSheet(invoice, ctx.state.viewer.partner, planName)),
    invoicePdfPart(ctx, job, `/invoices/${invoice._id}`),
  );
}

function subscriptionPart({ subscription, planVersion, period, terms }: BillingStatus): Html {
  if (subscription === null || planVersion === null) {
    return emptyState(
      'No subscription',
      'Points are free of charge. An operator can put you on a plan.',
      linkButton('/usage', 'View usage', 'secondary'),
    );
  }
  const { currency } = planVersion;
  const { interval, status, endsAt, pendingPlanVersionId } = subscription;
  const list = termsOf(planVersion, interval);
  return html`${facts([
    ['Plan', html`<strong>${planVersion.name}</strong> ${badge(status)}`],
    ...planFacts(list, interval, currency),
    ['This period', html`${day(new Date(period.start))} to ${day(new Date(period.end))}`],
    ...proratedFacts(list, terms, currency),
    ['Requests per minute', number(planVersion.apiRateLimitPerMinute)],
    ...(endsAt ? [['Ends', day(endsAt)] as const] : []),
    ...(pendingPlanVersionId ? [['Next period', 'A different plan starts'] as const] : []),
  ])}<p class="after"><a href="/usage">Usage in this period</a></p>`;
}

function invoiceTable(invoices: readonly InvoiceDoc[]): Html {
  return table({
    caption: 'Invoices',
    columns: [
      {
        heading: 'Number',
        cell: ({ _id, number: name }) => html`<a href="/invoices/${_id}">${name}</a>`,
      },
      { heading: 'For', cell: ({ kind }) => invoiceKindWords[kind] },
      { heading: 'Period', cell: periodOf },
      { heading: 'Issued', cell: ({ issuedAt }) => day(issuedAt) },
      { heading: 'Due', cell: ({ dueAt }) => day(dueAt) },
      {
        heading: 'Total',
        cell: (one) => money(one.totalCents, one.currency),
        isNumber: true,
      },
    ],
    rows: invoices,
    empty: emptyState(
      'No invoices yet',
      'You get one at the end of each billing period, and when you upgrade during one.',
    ),
  });
}

const periodOf = ({ periodStart, periodEnd }: InvoiceDoc): Part =>
  html`${day(periodStart)} to ${day(periodEnd)}`;
