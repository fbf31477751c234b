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
import { say } from '../../words/say.ts';
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
      title: say('billing.title'),
      lead: say('billing.lead'),
      isLiveOnly: true,
    },
    metrics([
      {
        name: say('billing.wallet'),
        value: moneyText(fundingCents + reservedCents, currency),
        note: say('billing.note'),
        href: '/funding',
      },
      fundingMetric(funding, currency),
      {
        name: say('billing.reserved'),
        value: moneyText(reservedCents, currency),
        note: say('billing.note.rewardsClaimed'),
      },
    ]),
    section(say('billing.section.subscription'), subscriptionPart(account)),
    section(
      say('billing.section.invoices'),
      invoiceTable(invoices.items),
      pager(ctx, invoices.nextCursor),
    ),
  );
}

export function invoicePage(
  ctx: PageContext<'partner'>,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
  job: InvoicePdfJob | null,
): Page {
  return page(
    {
      title: say('billing.invoice.title', { number: invoice.number }),
      crumbs: [[say('billing.billing'), '/billing']],
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
      say('billing.subscription.empty.title'),
      say('billing.subscription.empty.text'),
      linkButton('/usage', say('billing.viewUsage'), 'secondary'),
    );
  }
  const { currency } = planVersion;
  const { interval, status, endsAt, pendingPlanVersionId } = subscription;
  const list = termsOf(planVersion, interval);
  return html`${facts([
    [say('common.plan'), html`<strong>${planVersion.name}</strong> ${badge(status)}`],
    ...planFacts(list, interval, currency),
    [
      say('billing.thisPeriod'),
      say('billing.to', { start: day(new Date(period.start)), end: day(new Date(period.end)) }),
    ],
    ...proratedFacts(list, terms, currency),
    [say('billing.requestsPerMinute'), number(planVersion.apiRateLimitPerMinute)],
    ...(endsAt ? [[say('common.ends'), day(endsAt)] as const] : []),
    ...(pendingPlanVersionId
      ? [[say('billing.nextPeriod'), say('billing.anotherPlanBegins')] as const]
      : []),
  ])}<p class="after"><a href="/usage">${say('billing.subscription.link')}</a></p>`;
}

function invoiceTable(invoices: readonly InvoiceDoc[]): Html {
  return table({
    caption: say('billing.invoiceTable.caption'),
    columns: [
      {
        heading: say('billing.number'),
        cell: ({ _id, number: name }) => html`<a href="/invoices/${_id}">${name}</a>`,
      },
      { heading: say('common.for'), cell: ({ kind }) => invoiceKindWords[kind] },
      { heading: say('common.period'), cell: periodOf },
      { heading: say('billing.issued'), cell: ({ issuedAt }) => day(issuedAt) },
      { heading: say('common.due'), cell: ({ dueAt }) => day(dueAt) },
      {
        heading: say('common.total'),
        cell: (one) => money(one.totalCents, one.currency),
        isNumber: true,
      },
    ],
    rows: invoices,
    empty: emptyState(
      say('billing.invoiceTable.empty.title'),
      say('billing.invoiceTable.empty.text'),
    ),
  });
}

const periodOf = ({ periodStart, periodEnd }: InvoiceDoc): Part =>
  say('billing.period.to', { periodStart: day(periodStart), periodEnd: day(periodEnd) });
