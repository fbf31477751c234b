import { formatMicros } from '../../../domain/money.ts';
import { termsOf } from '../../../domain/plan-arithmetic.ts';
import type { BillingStatus } from '../../../models/billing/index.ts';
import type { InvoiceDoc } from '../../../models/schemas/invoice.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { Billing } from '../../../models/views/billing.ts';
import type { PageContext } from '../../context.ts';
import { countryName } from '../../words/country-words.ts';
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
import { type Html, html, nothing } from '../html.ts';
import { metrics } from '../metrics.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

const kindWords: Record<InvoiceDoc['kind'], string> = {
  PERIOD: 'Billing period',
  PRORATION: 'Upgrade within a period',
};

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
  partner: PartnerDoc,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
): Page {
  return page(
    {
      title: `Invoice ${invoice.number}`,
      crumbs: [['Billing', '/billing']],
      actions: printButton,
      isLiveOnly: true,
    },
    invoiceSheet(invoice, partner, planName),
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
    ['Each point over', `${formatMicros(list.overageRateMicrosPerPoint)} ${currency}`],
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
            'Each point over in this period',
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
      { heading: 'For', cell: ({ kind }) => kindWords[kind] },
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

/** An invoice as it is printed: all that belongs to it on one sheet. */
function invoiceSheet(invoice: InvoiceDoc, partner: PartnerDoc, planName: string | null): Html {
  const { currency, lines, totalCents, terms } = invoice;
  return html`<section class="card invoice" aria-label="Invoice">
<div class="invoice-head"><div><p class="muted">Billed to</p><p><strong>${partner.legalName ?? partner.name}</strong>${partner.country ? html`<br>${countryName(partner.country)}` : nothing}</p></div>
<div class="invoice-total"><p class="muted">Total</p><p class="metric-value number">${moneyText(totalCents, currency)}</p><p>Due on ${day(invoice.dueAt)}</p></div></div>
${facts([
  ['Number', invoice.number],
  ['Issued', day(invoice.issuedAt)],
  ['For', kindWords[invoice.kind]],
  ['Period', periodOf(invoice)],
  ...(planName === null ? [] : [['Plan', planName] as const]),
  ['Reference', html`<code>${invoice._id}</code>`],
])}
<div class="scroll invoice-lines" role="region" aria-label="Lines" tabindex="0"><table><caption class="hidden">Lines</caption>
<thead><tr><th scope="col">What</th><th scope="col" class="cell-number">Amount</th></tr></thead>
<tbody>${lines.map(
    ({ description, amountCents }) =>
      html`<tr><td>${description}</td><td class="cell-number">${money(amountCents, currency)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Total</th><td class="cell-number"><strong>${money(totalCents, currency)}</strong></td></tr></tfoot></table></div>
${terms === null ? nothing : html`<p class="muted">The period was billed at ${moneyText(terms.priceCents, currency)}, with ${numberText(terms.includedPoints)} points included and ${formatMicros(terms.overageRateMicrosPerPoint)} ${currency} for each point over them. Overage is rounded down to the cent, as a whole.</p>`}
</section>`;
}
