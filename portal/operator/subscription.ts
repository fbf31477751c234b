import Joi from 'joi';
import { type Interval, intervals, planChange, termsOf } from '../../domain/billing.ts';
import { owedCentsOf, paymentStatusAt } from '../../domain/invoice.ts';
import { param } from '../../http/context.ts';
import { creditNoteSheet, invoiceSheet } from '../../models/billing/index.ts';
import type { InvoiceDoc, PlanVersionDoc, SubscriptionDoc } from '../../models/schemas/billing.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { execute } from '../../operations/execute.ts';
import { cancelSubscription, changePlan, subscribe } from '../../operations/subscriptions.ts';
import {
  findActiveSubscription,
  type OfferedPlans,
  type PartnerInvoice,
  type PartnerSubscription,
  readOffer,
  readPartnerInvoice,
  readSubscription,
} from '../../views/billing.ts';
import {
  badge,
  definitions,
  emptyState,
  linkButton,
  notice,
  printButton,
  section,
  table,
} from '../components/components.ts';
import { confirm, form, select } from '../components/form.ts';
import { day, type Html, html, money, moneyText, nothing, time } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, to } from '../components/links.ts';
import {
  approvalNotice,
  invoiceActions,
  invoiceCard,
  paymentsSection,
  planFacts,
  proratedFacts,
} from '../components/money.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { sendInvoicePdf } from '../jobs.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf, whenDone } from '../operate.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const planVersionId = Joi.string()
  .max(64)
  .required()
  .messages({ 'any.required': 'Choose a plan.' });

const ofPartner = '/admin/partners/:partnerId';

const path = `${ofPartner}/subscription`;

const invoice = `${ofPartner}/invoices/:invoiceId`;

/** A partner's plan, current period and invoices. */
export function operatorSubscriptionPages(routes: RoutesOf<'operator'>): void {
  routes.page(path, showSubscription);
  routes.page(invoice, showInvoice);
  routes.page(`${invoice}/invoice.pdf`, downloadPdf);
  routes.page(`${invoice}/credit-note`, showCreditNote);
  routes.operation(`${ofPartner}/subscribe`, subscribe, {
    page: showSubscribe,
    form: Joi.object<{ planVersionId: string; interval: Interval }>({
      planVersionId,
      interval: Joi.string()
        .valid(...intervals)
        .default('MONTH'),
    }),
    to: path,
    said: 'Subscribed. The first period has started.',
  });
  routes.page(`${ofPartner}/plan`, showChange, { operation: changePlan });
  routes.action(
    `${ofPartner}/plan`,
    { schema: Joi.object({ planVersionId }), act: change, retry: showChange },
    { operation: changePlan },
  );
  routes.action(
    `${path}/cancel`,
    { schema: Joi.object({}), act: cancel },
    { operation: cancelSubscription },
  );
}

async function showSubscription(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(
    ctx,
    subscriptionPage(ctx, await readSubscription(deps, param(ctx, 'partnerId')), {
      hasIssuer: deps.config.issuer !== null,
      now: new Date(deps.now()),
    }),
  );
}

const findInvoice = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  readPartnerInvoice(deps, param(ctx, 'partnerId'), param(ctx, 'invoiceId'));

async function showInvoice(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, partnerInvoicePage(ctx, await findInvoice(ctx, deps), new Date(deps.now())));
}

async function downloadPdf(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { partner, ...found } = await findInvoice(ctx, deps);
  await sendInvoicePdf(ctx, found, partner);
}

async function showCreditNote(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const found = await findInvoice(ctx, deps);
  orNotFound(found.invoice.creditNote);
  render(ctx, partnerCreditNotePage(found));
}

async function showSubscribe(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const offer = await readOffer(deps, param(ctx, 'partnerId'));
  render(ctx, subscribePage(ctx, offer, { takesTwo: deps.config.approvals.isOn, filled }));
}

async function showChange(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const offer = await readOffer(deps, param(ctx, 'partnerId'));
  const takesTwo = deps.config.approvals.isOn;
  render(ctx, changePlanPage(ctx, offer, { takesTwo, filled, at: new Date(deps.now()) }));
}

async function change(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { planVersionId: chosen }: { planVersionId: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const before = await findActiveSubscription(deps, partnerId);
  const input = { partnerId, planVersionId: chosen };
  const executed = await execute(deps, changePlan, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ planVersionId, pendingPlanVersionId }) => {
    const isKept = pendingPlanVersionId === null && planVersionId === before?.planVersionId;
    const changed =
      pendingPlanVersionId === null ? 'Plan changed.' : 'The plan changes with the next period.';
    redirect(ctx, pathOf(partnerId), isKept ? 'The plan stays as it is.' : changed);
  });
}

const pathOf = (partnerId: string) => `${operatorPaths.PARTNER}${partnerId}/subscription`;

async function cancel(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const subscription = await findActiveSubscription(deps, partnerId);
  if (!subscription) return redirect(ctx, pathOf(partnerId), 'There is no subscription.', 'bad');
  await execute(deps, cancelSubscription, actorOf(ctx), { partnerId });
  redirect(ctx, pathOf(partnerId), 'Cancelled. It runs to the end of its period.');
}

function subscriptionPage(
  ctx: PageContext<'operator'>,
  { partner, subscription, invoices, plans }: PartnerSubscription,
  { hasIssuer, now }: { hasIssuer: boolean; now: Date },
): Page {
  const { currency } = partner;
  return page(
    { title: 'Subscription', crumbs: crumbsOfPartner(partner) },
    subscription
      ? currentSection(ctx, partner, { subscription, plans })
      : noSubscriptionSection(ctx, partner),
    section(
      'Invoices',
      hasIssuer
        ? nothing
        : notice(
            'warn',
            'No issuer is configured, so invoices name none. Set INVOICE_ISSUER_NAME: an invoice keeps what was configured when it was issued.',
          ),
      table({
        caption: 'Invoices',
        columns: {
          Number: (one) =>
            html`<a href="${operatorPaths.PARTNER}${partner._id}/invoices/${one._id}">${one.number}</a>`,
          For: ({ kind }) => (kind === 'PERIOD' ? 'a period' : 'an upgrade'),
          Period: (one) => html`${day(one.periodStart)} to ${day(one.periodEnd)}`,
          Issued: ({ issuedAt }) => day(issuedAt),
          Due: ({ dueAt }) => day(dueAt),
          '': (one) => badge(paymentStatusAt(one, now)),
          Total: { number: ({ totalCents }) => money(totalCents, currency) },
        },
        rows: invoices,
        empty: emptyState('No invoices yet', 'One is issued at the end of each period.'),
      }),
    ),
  );
}

function partnerInvoicePage(
  ctx: PageContext<'operator'>,
  { partner, invoice, planName }: PartnerInvoice,
  now: Date,
): Page {
  const path = `${operatorPaths.PARTNER}${partner._id}/invoices/${invoice._id}`;
  const at = `${operatorPaths.PARTNER}${partner._id}`;
  return page(
    {
      title: `Invoice ${invoice.number}`,
      crumbs: [...crumbsOfPartner(partner), ['Subscription', `${at}/subscription`]],
      actions: invoiceActions(`${path}/invoice.pdf`),
    },
    invoiceCard(invoiceSheet(invoice, partner, planName)),
    paymentsSection(invoice, now, path),
    changesOf(ctx, invoice, path),
  );
}

function partnerCreditNotePage({ partner, invoice, planName }: PartnerInvoice): Page {
  const sheet = creditNoteSheet(invoice, partner, planName);
  if (sheet === null) throw new Error(`${invoice._id} has no credit note`);
  const at = `${operatorPaths.PARTNER}${partner._id}`;
  return page(
    {
      title: sheet.title,
      crumbs: [
        ...crumbsOfPartner(partner),
        [`Invoice ${invoice.number}`, `${at}/invoices/${invoice._id}`],
      ],
      actions: printButton(),
    },
    invoiceCard(sheet),
  );
}

/** What can be done about an invoice: of its payments, and if it is not paid. */
function changesOf(ctx: PageContext<'operator'>, invoice: InvoiceDoc, path: string): Html {
  const { viewer } = ctx.state;
  const isDue = owedCentsOf(invoice) > 0;
  return html`<div class="answers screen-only">${[
    isDue && hasPermission(viewer, 'invoice.record-payment')
      ? linkButton(`${path}/payment`, 'Record a payment', 'secondary')
      : nothing,
    invoice.paidCents > 0 && hasPermission(viewer, 'invoice.reverse-payment')
      ? linkButton(`${path}/reverse`, 'Reverse a payment', 'secondary')
      : nothing,
    isDue && hasPermission(viewer, 'invoice.void') && invoice.paidCents === 0
      ? linkButton(`${path}/void`, 'Void', 'secondary')
      : nothing,
  ]}</div>`;
}

function noSubscriptionSection(ctx: PageContext<'operator'>, { _id, name }: PartnerDoc): Html {
  return section(
    'No subscription',
    html`<p>${name} has no subscription, so its profile’s rate limit applies.</p>`,
    hasPermission(ctx.state.viewer, 'subscription.create')
      ? html`<p>${linkButton(`${operatorPaths.PARTNER}${_id}/subscribe`, 'Put on a plan')}</p>`
      : nothing,
  );
}

function currentSection(
  ctx: PageContext<'operator'>,
  { _id, name, currency }: PartnerDoc,
  { subscription, plans }: { subscription: SubscriptionDoc; plans: readonly PlanVersionDoc[] },
): Html {
  const { planVersionId: planId, pendingPlanVersionId, interval, terms, endsAt } = subscription;
  const current = plans.find((one) => one._id === planId);
  const list = current ? termsOf(current, interval) : terms;
  const nameOf = (id: string) => {
    const plan = plans.find((one) => one._id === id);
    return plan ? `${plan.name}, version ${plan.version}` : id;
  };
  const at = `${operatorPaths.PARTNER}${_id}`;
  return section(
    'Current period',
    definitions([
      ['Plan', to('PLAN', planId, nameOf(planId))],
      ['Billed', interval === 'MONTH' ? 'monthly' : 'yearly'],
      [
        'Period',
        html`${day(subscription.currentPeriodStart)} to ${day(subscription.currentPeriodEnd)}`,
      ],
      ...planFacts(list, interval, currency),
      ...proratedFacts(list, terms, currency),
      [
        'Next plan',
        pendingPlanVersionId === null
          ? 'the same'
          : to('PLAN', pendingPlanVersionId, nameOf(pendingPlanVersionId)),
      ],
      ['Ends', endsAt === null ? 'not cancelled' : time(endsAt)],
    ]),
    hasPermission(ctx.state.viewer, 'subscription.change')
      ? html`<div class="answers">${[
          linkButton(`${at}/plan`, 'Change plan', 'secondary'),
          endsAt === null
            ? confirm(ctx, {
                ask: 'Cancel …',
                action: `${at}/subscription/cancel`,
                submit: 'Cancel subscription',
                question: `The subscription of ${name} runs to the end of its period. That period’s invoice is the last.`,
              })
            : nothing,
        ]}</div>`
      : nothing,
  );
}

interface PlanFormOptions {
  /** Whether what the partner owes needs a second operator. */
  takesTwo: boolean;
  filled: Filled;
}

function subscribePage(
  ctx: PageContext<'operator'>,
  { partner, plans }: OfferedPlans,
  { takesTwo, filled }: PlanFormOptions,
): Page {
  return page(
    { title: 'Put on a plan', crumbs: crumbsOfPartner(partner) },
    plans.length === 0
      ? nothingOffered()
      : html`<div class="card narrow">${takesTwo ? approvalNotice() : nothing}${form(
          ctx,
          { action: ctx.path, submit: 'Subscribe', filled },
          planField(plans, filled),
          select({
            name: 'interval',
            label: 'Billed',
            filled,
            choices: [
              { value: 'MONTH', text: 'Monthly' },
              { value: 'YEAR', text: 'Yearly' },
            ],
          }),
        )}</div>`,
  );
}

function changePlanPage(
  ctx: PageContext<'operator'>,
  { partner, plans, subscription: found, current }: OfferedPlans,
  { takesTwo, filled, at }: PlanFormOptions & { at: Date },
): Page {
  const subscription = `${operatorPaths.PARTNER}${partner._id}/subscription`;
  return page(
    {
      title: 'Change plan',
      crumbs: [...crumbsOfPartner(partner), ['Subscription', subscription]],
      lead: 'A cheaper plan starts with the next period. Any other starts at once, with an invoice for the rest of the current one.',
    },
    found === null
      ? noSubscriptionSection(ctx, partner)
      : plans.length === 0
        ? nothingOffered()
        : html`<div class="card narrow">${takesTwo ? approvalNotice() : nothing}${form(
            ctx,
            { action: ctx.path, submit: 'Change plan', filled },
            planField(plans, filled, found.planVersionId),
          )}</div>${current === null ? nothing : invoicesBefore(found, current, plans, at)}`,
  );
}

/** The invoice that a change to each plan would create. */
function invoicesBefore(
  subscription: SubscriptionDoc,
  current: PlanVersionDoc,
  plans: readonly PlanVersionDoc[],
  at: Date,
): Html {
  const others = plans.filter(({ _id }) => _id !== current._id);
  const end = day(subscription.currentPeriodEnd);
  const rows = others.map((plan) => ({
    plan,
    change: planChange(subscription, current, plan, at),
  }));
  return section(
    'What a change costs now',
    table({
      caption: 'Invoice for each change',
      columns: {
        Plan: ({ plan }) => `${plan.name}, version ${plan.version}`,
        Starts: ({ change }) => (change.begins === 'NOW' ? 'at once' : html`on ${end}`),
        'Invoice now': {
          number: ({ plan, change }) =>
            change.begins === 'NOW' ? money(change.dueCents, plan.currency) : 'none',
        },
        'Included in this period': {
          number: ({ change }) =>
            (change.begins === 'NOW' ? change : subscription).terms.includedPoints,
        },
      },
      rows,
      empty: emptyState('No other plan', 'There is no other plan to change to.'),
    }),
    html`<p class="muted after">For the rest of the period, to ${end}, as of ${time(at)}.</p>`,
  );
}

const planField = (plans: readonly PlanVersionDoc[], filled: Filled, chosen = '') =>
  select({
    name: 'planVersionId',
    label: 'Plan',
    filled,
    chosen,
    choices: plans.map((plan) => ({
      value: plan._id,
      text: `${plan.name}, version ${plan.version}: ${moneyText(plan.monthlyPriceCents, plan.currency)} per month, ${moneyText(plan.annualPriceCents, plan.currency)} per year`,
    })),
  });

const nothingOffered = () =>
  emptyState(
    'No plan is offered',
    'Publish one that is priced in the partner’s currency.',
    linkButton('/admin/plans', 'View plans', 'secondary'),
  );
