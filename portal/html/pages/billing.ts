import { formatMicros } from '../../../domain/money.ts';
import { termsOf } from '../../../domain/plan-arithmetic.ts';
import {
  type BillingStatus,
  invoiceKindWords,
  invoiceSheet,
} from '../../../models/billing/index.ts';
import type { InvoiceDoc } from '../../../models/schemas/invoice.ts';
import type { InvoicePdfJob } from '../../../models/schemas/job.ts';
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
import { day, money, moneyText, number, numberText } from '../format.ts';
import { fundingMetric } from '../funding-metric.ts';
import { type Html, html } from '../html.ts';
import { invoiceCard, invoicePdfPart } from '../invoice.ts';
import { metrics } from '../metrics.ts';
import { pager } from '../pager.ts';
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
      lead: 'Your plan and its invoices, and the wallet that rewards are paid from.',
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
      actions: printButton,
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
      'Nothing is charged for points. An operator subscribes you to a plan.',
      linkButton('/usage', 'View usage', 'secondary'),
    );
  }
  const { currency } = planVersion;
  const { interval, status, endsAt, pendingPlanVersionId } = subscription;
  const list = termsOf(planVersion, interval);
  const isProrated =
    terms.priceCents !== list.priceCents || terms.includedPoints !== list.includedPoints;
  return html`${facts([
    ['Plan', html`<strong>${planVersion.name}</strong> ${badge(status)}`],
    [interval === 'YEAR' ? 'Price per year' : 'Price per month', money(list.priceCents, currency)],
    ['Included per period', `${numberText(list.includedPoints)} points`],
    ['Each extra point', `${formatMicros(list.overageRateMicrosPerPoint)} ${currency}`],
    ['This period', html`${day(new Date(period.start))} to ${day(new Date(period.end))}`],
    ...(isProrated
      ? [
          [
            'Included in this period',
            html`${number(terms.includedPoints)} points, since the plan changed within it`,
          ] as const,
          [
            'Price of this period',
            html`${money(terms.priceCents, currency)}, as it began; the upgrade has an invoice of its own`,
          ] as const,
          [
            'Each extra point in this period',
            `${formatMicros(terms.overageRateMicrosPerPoint)} ${currency}`,
          ] as const,
        ]
      : []),
    ['Requests per minute', number(planVersion.apiRateLimitPerMinute)],
    ...(endsAt ? [['Ends', day(endsAt)] as const] : []),
    ...(pendingPlanVersionId ? [['Next period', 'Another plan begins'] as const] : []),
  ])}<p class="after"><a href="/usage">What this period has used</a></p>`;
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
      { heading: 'Total', cell: (one) => money(one.totalCents, one.currency), isNumber: true },
    ],
    rows: invoices,
    empty: emptyState(
      'No invoice yet',
      'One is issued at the end of each billing period, and when you upgrade within one.',
    ),
  });
}

const periodOf = ({ periodStart, periodEnd }: InvoiceDoc): Html =>
  html`${day(periodStart)} to ${day(periodEnd)}`;
