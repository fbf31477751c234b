import { formatMicros } from '../../domain/money.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { type Standing, standingAt } from '../../models/billing/index.ts';
import { readFunding } from '../../models/live-day.ts';
import type { InvoiceDoc } from '../../models/schemas/invoice.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { param } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  printButton,
  section,
  table,
} from '../html/components.ts';
import { day, money, moneyText, number, numberText } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { metrics } from '../html/metrics.ts';
import { pager } from '../html/pager.ts';
import { view } from '../html/view.ts';
import { nothingHere } from '../middleware/well-formed.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';
import { fundingMetric } from './funding.ts';

const kindWords: Record<InvoiceDoc['kind'], string> = {
  PERIOD: 'Billing period',
  PRORATION: 'Upgrade within a period',
};

/** What the partner pays for: plan, wallet and invoices. */
export function billingPages(routes: Routes, deps: PortalDeps): void {
  const { models, now } = deps;

  routes.page({ path: '/billing', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { _id: partnerId, currency } = ctx.state.viewer.partner;
    const [standing, funding, invoices] = await Promise.all([
      standingAt(models, partnerId, new Date(now()).toISOString()),
      readFunding(deps, partnerId),
      page(models.invoices, [{ partnerId }], queryOf(ctx, pageSchema), (invoice) => invoice),
    ]);
    const { fundingCents, reservedCents } = funding;
    view(
      ctx,
      {
        title: 'Billing',
        lead: 'Your plan and its invoices, and the wallet that rewards are paid from.',
        mode: 'LIVE',
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
      section('Subscription', subscriptionPart(standing)),
      section('Invoices', invoiceTable(invoices.items), pager(ctx, invoices.nextCursor)),
    );
  });

  routes.page(
    {
      path: '/invoices/:invoiceId',
      params: { invoiceId: 'invoice' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const { partner } = ctx.state.viewer;
      const ofPartner = { partnerId: partner._id, _id: param(ctx, 'invoiceId') };
      const invoice = await models.invoices.findOne(ofPartner).lean();
      if (!invoice) throw nothingHere();
      const plan = await models.planVersions.findById(invoice.planVersionId, { name: 1 }).lean();
      view(
        ctx,
        {
          title: `Invoice ${invoice.number}`,
          crumbs: [['Billing', '/billing']],
          actions: printButton,
          mode: 'LIVE',
        },
        invoiceSheet(invoice, partner, plan?.name ?? null),
      );
    },
  );
}

function subscriptionPart({ subscription, planVersion, period, terms }: Standing): Html {
  if (subscription === null || planVersion === null) {
    return emptyState(
      'No subscription',
      'Nothing is charged for points. An operator subscribes you to a plan.',
      linkButton('/usage', 'To your usage', 'secondary'),
    );
  }
  const { currency } = planVersion;
  const { interval, status, endsAt, pendingPlanVersionId } = subscription;
  return html`${facts([
    ['Plan', html`<strong>${planVersion.name}</strong> ${badge(status)}`],
    [interval === 'YEAR' ? 'Price a year' : 'Price a month', money(terms.priceCents, currency)],
    ['Included', html`${number(terms.includedPoints)} points a period`],
    ['Each point over', `${formatMicros(terms.overageRateMicrosPerPoint)} ${currency}`],
    ['This period', html`${day(new Date(period.start))} to ${day(new Date(period.end))}`],
    ['Requests a minute', number(planVersion.apiRateLimitPerMinute)],
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
<div class="invoice-head"><div><p class="muted">Billed to</p><p><strong>${partner.legalName ?? partner.name}</strong>${partner.country ? html`<br>${partner.country}` : nothing}</p></div>
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
