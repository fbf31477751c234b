import { termsOf } from '../../domain/billing.ts';
import { paymentStatusAt } from '../../domain/invoice.ts';
import { leastBasisDays } from '../../domain/usage.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import {
  type BillingStatus,
  creditNoteSheet,
  invoiceKindWords,
  invoiceSheet,
} from '../../models/billing/index.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import type { ListPage } from '../../models/store/paging.ts';
import { readInvoice, readInvoices } from '../../views/billing.ts';
import {
  readUsage,
  type UsageDay,
  type UsageFigures,
  type UsageOfPlan,
} from '../../views/usage.ts';
import { dayChart } from '../components/charts.ts';
import {
  badge,
  definitions,
  emptyState,
  type Metric,
  metrics,
  section,
  table,
} from '../components/components.ts';
import {
  day,
  type Html,
  html,
  money,
  moneyText,
  nothing,
  number,
  numberText,
  type Part,
  plural,
  pointsWords,
} from '../components/format.ts';
import {
  invoiceActions,
  invoiceCard,
  paymentsSection,
  planFacts,
  proratedFacts,
} from '../components/money.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { sendInvoicePdf } from '../jobs.ts';
import { list } from '../lists/list.ts';
import { orNotFound } from '../middleware/form.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

/** Invoices and credit notes. */
export function billingPages(routes: RoutesOf<'partner'>): void {
  routes.page('/invoices', showInvoices);
  routes.page('/invoices/:invoiceId', showInvoice);
  routes.page('/invoices/:invoiceId/invoice.pdf', downloadPdf);
  routes.page('/invoices/:invoiceId/credit-note', showCreditNote);
  routes.page('/invoices/:invoiceId/credit-note/credit-note.pdf', downloadCreditNote);
}

async function showInvoices(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const invoices = await readInvoices(deps, ownScope(ctx), queryOf(ctx, pageSchema));
  render(ctx, invoicesPage(ctx, invoices, new Date(deps.now())));
}

const findOwn = async (ctx: PageContext<'partner'>, deps: PageDeps) =>
  orNotFound(await readInvoice(deps, ownScope(ctx), param(ctx, 'invoiceId')));

async function showInvoice(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, invoicePage(ctx, await findOwn(ctx, deps), new Date(deps.now())));
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await sendInvoicePdf(ctx, await findOwn(ctx, deps), ctx.state.viewer.partner);
}

async function showCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await findOwn(ctx, deps);
  orNotFound(found.invoice.creditNote);
  render(ctx, creditNotePage(ctx, found));
}

async function downloadCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  await sendInvoicePdf(ctx, await findOwn(ctx, deps), partner, 'CREDIT_NOTE');
}

/** The plan and its usage by LIVE rewards: by day, and projected to the end of the period. */
export function usagePages(routes: RoutesOf<'partner'>): void {
  routes.page('/usage', showUsage);
}

async function showUsage(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, usagePage(await readUsage(deps, ownScope(ctx)), ctx.state.viewer.partner.currency));
}

function invoicesPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor }: ListPage<InvoiceDoc>,
  now: Date,
): Page {
  return page(
    { title: 'Invoices', isLiveOnly: true },
    list(ctx, {
      caption: 'Invoices',
      columns: {
        Number: ({ _id, number: name }) => html`<a href="/invoices/${_id}">${name}</a>`,
        State: (one) => badge(paymentStatusAt(one, now)),
        For: ({ kind }) => invoiceKindWords[kind],
        Period: periodOf,
        Issued: ({ issuedAt }) => day(issuedAt),
        Due: ({ dueAt }) => day(dueAt),
        Total: { number: (one) => money(one.totalCents, one.currency) },
      },
      rows: items,
      nextCursor,
      empty: emptyState(
        'No invoices yet',
        'You get one at the end of each billing period, and when you upgrade during one.',
      ),
    }),
  );
}

function invoicePage(
  ctx: PageContext<'partner'>,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
  now: Date,
): Page {
  const path = `/invoices/${invoice._id}`;
  return page(
    {
      title: `Invoice ${invoice.number}`,
      crumbs: [['Invoices', '/invoices']],
      actions: invoiceActions(`${path}/invoice.pdf`),
      isLiveOnly: true,
    },
    invoiceCard(invoiceSheet(invoice, ctx.state.viewer.partner, planName)),
    paymentsSection(invoice, now, path),
  );
}

function creditNotePage(
  ctx: PageContext<'partner'>,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
): Page {
  const sheet = creditNoteSheet(invoice, ctx.state.viewer.partner, planName);
  if (sheet === null) throw new Error(`${invoice._id} has no credit note`);
  const path = `/invoices/${invoice._id}`;
  return page(
    {
      title: sheet.title,
      crumbs: [
        ['Invoices', '/invoices'],
        [`Invoice ${invoice.number}`, path],
      ],
      actions: invoiceActions(`${path}/credit-note/credit-note.pdf`),
      isLiveOnly: true,
    },
    invoiceCard(sheet),
  );
}

function subscriptionPart({ subscription, planVersion, period, terms }: BillingStatus): Html {
  if (subscription === null || planVersion === null) {
    return emptyState(
      'No subscription',
      'Points are counted by calendar month and are free of charge. An operator can put you on a plan.',
    );
  }
  const { currency } = planVersion;
  const { interval, status, endsAt, pendingPlanVersionId } = subscription;
  const list = termsOf(planVersion, interval);
  return html`${definitions([
    ['Plan', html`<strong>${planVersion.name}</strong> ${badge(status)}`],
    ...planFacts(list, interval, currency),
    ['This period', html`${day(new Date(period.start))} to ${day(new Date(period.end))}`],
    ...proratedFacts(list, terms, currency),
    ['Requests per minute', number(planVersion.apiRateLimitPerMinute)],
    ...(endsAt ? [['Ends', day(endsAt)] as const] : []),
    ...(pendingPlanVersionId ? [['Next period', 'A different plan starts'] as const] : []),
  ])}`;
}

const periodOf = ({ periodStart, periodEnd }: InvoiceDoc): Part =>
  html`${day(periodStart)} to ${day(periodEnd)}`;

function usagePage({ figures, days }: UsageOfPlan, currency: string): Page {
  const { period } = figures.billingStatus;
  return page(
    {
      title: 'Plan and usage',
      lead: html`LIVE points in the billing period from ${day(new Date(period.start))} to ${day(new Date(period.end))}. TEST is not counted.`,
      isLiveOnly: true,
    },
    metrics(figuresOf(figures, currency)),
    allowance(figures),
    section('Last 30 days', daysPart(days, currency)),
    section('Plan', subscriptionPart(figures.billingStatus)),
    figures.billingStatus.subscription === null || figures.projection.basisDays < leastBasisDays
      ? nothing
      : section('Which plan fits', recommended(figures, currency)),
  );
}

function figuresOf(
  { billingStatus, points, terms, counted, projection, rewardLiabilityCents }: UsageFigures,
  currency: string,
): Metric[] {
  const { lowPoints, highPoints, basisDays } = projection;
  return [
    {
      name: 'Points so far',
      value: numberText(points),
      note:
        billingStatus.subscription === null
          ? 'No plan: points are free'
          : `${numberText(counted.includedPointsConsumed)} of ${numberText(terms.includedPoints)} included`,
    },
    {
      name: 'Projected by the end of the period',
      value: numberText(projection.points),
      note:
        basisDays === 0
          ? 'Not enough data for a projection yet'
          : `Likely ${numberText(lowPoints)}–${numberText(highPoints)} (80%), based on ${plural(basisDays, 'day', 'days')}`,
    },
    {
      name: 'Overage so far',
      value: moneyText(counted.overageCents, currency),
      note:
        billingStatus.subscription === null
          ? 'No plan: nothing is charged'
          : projection.overagePoints === 0
            ? 'None projected'
            : `${pointsWords(counted.overagePoints)} over the allowance; projected: ${pointsWords(projection.overagePoints)}, ${moneyText(projection.overageCents, currency)}`,
    },
    {
      name: 'Committed to rewards',
      value: moneyText(rewardLiabilityCents, currency),
      note: 'Reserved or owed to customers',
      href: '/funding',
    },
  ];
}

function allowance({ billingStatus, terms, counted }: UsageFigures): Html {
  if (billingStatus.subscription === null) return nothing;
  const { includedPoints } = terms;
  const share =
    includedPoints === 0 ? 100 : (100 * counted.includedPointsConsumed) / includedPoints;
  return section(
    'Allowance',
    html`<div class="allowance"><progress value="${counted.includedPointsConsumed}" max="${Math.max(1, includedPoints)}" aria-label="Allowance consumed"></progress>
<p>${number(counted.includedPointsConsumed)} of ${number(includedPoints)} points, ${Math.floor(share)}%${counted.overagePoints > 0 ? html`, and <strong>${number(counted.overagePoints)} over it</strong>` : nothing}</p></div>`,
  );
}

function daysPart(days: readonly UsageDay[], currency: string): Html {
  const total = days.reduce((sum, { points }) => sum + points, 0);
  if (days.every(({ points, cents }) => points === 0 && cents === 0)) {
    return emptyState(
      'No LIVE points on these days',
      'Each funded LIVE reward counts on its day. TEST rewards do not count.',
    );
  }
  return html`${dayChart(
    days.map(({ day, points }) => ({ day, value: points })),
    `Points on each of the last 30 days, ${pointsWords(total)} in total`,
    pointsWords,
  )}
<details class="chart-table"><summary>View as a table</summary>${table({
    caption: 'Points per day',
    columns: {
      Day: (one) => day(new Date(one.day)),
      Points: { number: ({ points }) => points },
      'Rewards cost': { number: ({ cents }) => money(cents, currency) },
    },
    rows: days.toReversed(),
  })}</details>`;
}

function recommended({ recommendation }: UsageFigures, currency: string): Html {
  const { action, reason, estimatedSavingsCents } = recommendation;
  const words = {
    STAY: 'Stay',
    UPGRADE: 'Upgrade',
    DOWNGRADE: 'Downgrade',
  }[action];
  return html`<p>${badge(action === 'STAY' ? 'OK' : 'OPEN', words)} ${reason}</p>
${estimatedSavingsCents > 0 ? html`<p class="muted">It would save about ${money(estimatedSavingsCents, currency)} per period. An operator can change the plan for you.</p>` : nothing}`;
}
