import { termsOf } from '../../../../domain/plan-arithmetic.ts';
import { planChange } from '../../../../domain/plan-change.ts';
import { invoiceSheet } from '../../../../models/billing/index.ts';
import type { InvoicePdfJob } from '../../../../models/schemas/job.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { PlanVersionDoc } from '../../../../models/schemas/plan-version.ts';
import type { SubscriptionDoc } from '../../../../models/schemas/subscription.ts';
import type {
  PartnerInvoice,
  PartnerSubscription,
  PlanOffer,
} from '../../../../models/views/subscriptions.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  notice,
  printButton,
  section,
  table,
} from '../../components.ts';
import { confirm, form, select } from '../../form.ts';
import { day, money, moneyText, number, time } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { invoiceCard, invoicePdfPart } from '../../invoice.ts';
import { crumbsOfPartner, operatorPaths, to } from '../../links.ts';
import { planFacts, proratedFacts } from '../../plan-terms.ts';
import { type Page, page } from '../../view.ts';

export function subscriptionPage(
  ctx: PageContext<'operator'>,
  { partner, subscription, invoices, plans }: PartnerSubscription,
  hasIssuer: boolean,
): Page {
  const { currency } = partner;
  return page(
    { title: say('admin.subscription.title'), crumbs: crumbsOfPartner(partner) },
    subscription
      ? currentSection(ctx, partner, { subscription, plans })
      : noSubscriptionSection(ctx, partner),
    section(
      say('admin.subscription.section.invoices'),
      hasIssuer ? nothing : notice('warn', say('admin.subscription.notice')),
      table({
        caption: say('admin.subscription.caption'),
        columns: [
          {
            heading: say('admin.subscription.number'),
            cell: (one) =>
              html`<a href="${operatorPaths.PARTNER}${partner._id}/invoices/${one._id}">${one.number}</a>`,
          },
          {
            heading: say('common.for'),
            cell: ({ kind }) =>
              kind === 'PERIOD'
                ? say('admin.subscription.aPeriod')
                : say('admin.subscription.anUpgrade'),
          },
          {
            heading: say('common.period'),
            cell: (one) =>
              say('admin.subscription.to', {
                periodStart: day(one.periodStart),
                periodEnd: day(one.periodEnd),
              }),
          },
          { heading: say('admin.subscription.issued'), cell: ({ issuedAt }) => day(issuedAt) },
          { heading: say('common.due'), cell: ({ dueAt }) => day(dueAt) },
          { heading: '', cell: ({ paymentStatus }) => badge(paymentStatus) },
          {
            heading: say('common.total'),
            cell: ({ totalCents }) => money(totalCents, currency),
            isNumber: true,
          },
        ],
        rows: invoices,
        empty: emptyState(
          say('admin.subscription.empty.title'),
          say('admin.subscription.empty.text'),
        ),
      }),
    ),
  );
}

export function partnerInvoicePage(
  ctx: PageContext<'operator'>,
  { partner, invoice, planName }: PartnerInvoice,
  job: InvoicePdfJob | null,
): Page {
  const at = `${operatorPaths.PARTNER}${partner._id}`;
  return page(
    {
      title: say('admin.subscription.partnerInvoice.title', { number: invoice.number }),
      crumbs: [
        ...crumbsOfPartner(partner),
        [say('admin.subscription.subscription'), `${at}/subscription`],
      ],
      actions: printButton(),
    },
    invoiceCard(invoiceSheet(invoice, partner, planName)),
    invoicePdfPart(ctx, job, `${at}/invoices/${invoice._id}`),
  );
}

function noSubscriptionSection(ctx: PageContext<'operator'>, { _id, name }: PartnerDoc): Html {
  return section(
    say('admin.subscription.section.noSubscription'),
    html`<p>${say('admin.subscription.noSubscription.paysSubscription', { name })}</p>`,
    hasPermission(ctx.state.viewer, 'subscription.create')
      ? html`<p>${linkButton(`${operatorPaths.PARTNER}${_id}/subscribe`, say('admin.subscription.noSubscription.putPlan'))}</p>`
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
    return plan
      ? say('admin.subscription.version', { name: plan.name, version: plan.version })
      : id;
  };
  const at = `${operatorPaths.PARTNER}${_id}`;
  return section(
    say('admin.subscription.section.theRunningPeriod'),
    facts([
      [say('common.plan'), to('PLAN', planId, nameOf(planId))],
      [
        say('admin.subscription.billed'),
        interval === 'MONTH' ? say('admin.subscription.monthly') : say('admin.subscription.yearly'),
      ],
      [
        say('common.period'),
        say('admin.subscription.current.to', {
          currentPeriodStart: day(subscription.currentPeriodStart),
          currentPeriodEnd: day(subscription.currentPeriodEnd),
        }),
      ],
      ...planFacts(list, interval, currency),
      ...proratedFacts(list, terms, currency),
      [
        say('admin.subscription.nextPlan'),
        pendingPlanVersionId === null
          ? say('admin.subscription.theSame')
          : to('PLAN', pendingPlanVersionId, nameOf(pendingPlanVersionId)),
      ],
      [say('common.ends'), endsAt === null ? say('admin.subscription.notCancelled') : time(endsAt)],
    ]),
    hasPermission(ctx.state.viewer, 'subscription.change')
      ? html`<div class="answers">${[
          linkButton(`${at}/plan`, say('admin.subscription.changeThePlan'), 'secondary'),
          endsAt === null
            ? confirm(ctx, {
                ask: say('admin.subscription.current.ask'),
                action: `${at}/subscription/cancel`,
                submit: say('admin.subscription.current.submit'),
                question: say('admin.subscription.current.question', { name }),
              })
            : nothing,
        ]}</div>`
      : nothing,
  );
}

export function subscribePage(
  ctx: PageContext<'operator'>,
  { partner, plans }: PlanOffer,
  filled: Filled,
): Page {
  return page(
    { title: say('admin.subscription.subscribe.title'), crumbs: crumbsOfPartner(partner) },
    plans.length === 0
      ? nothingOffered()
      : html`<div class="card narrow">${form(
          ctx,
          { action: ctx.path, submit: say('admin.subscription.subscribe.submit'), filled },
          planField(plans, filled),
          select({
            name: 'interval',
            label: say('admin.subscription.interval'),
            filled,
            choices: [
              { value: 'MONTH', text: say('admin.subscription.choice.month') },
              { value: 'YEAR', text: say('admin.subscription.choice.year') },
            ],
          }),
        )}</div>`,
  );
}

export function changePlanPage(
  ctx: PageContext<'operator'>,
  { partner, plans, subscription: found, current }: PlanOffer,
  { filled, at }: { filled: Filled; at: Date },
): Page {
  const subscription = `${operatorPaths.PARTNER}${partner._id}/subscription`;
  return page(
    {
      title: say('admin.subscription.changePlan.title'),
      crumbs: [...crumbsOfPartner(partner), [say('admin.subscription.subscription'), subscription]],
      lead: say('admin.subscription.changePlan.lead'),
    },
    found === null
      ? noSubscriptionSection(ctx, partner)
      : plans.length === 0
        ? nothingOffered()
        : html`<div class="card narrow">${form(
            ctx,
            { action: ctx.path, submit: say('admin.subscription.changePlan.submit'), filled },
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
    say('admin.subscription.section.changeCostsNow'),
    table({
      caption: say('admin.subscription.invoicesBefore.caption'),
      columns: [
        {
          heading: say('common.plan'),
          cell: ({ plan }) =>
            say('admin.subscription.version', { name: plan.name, version: plan.version }),
        },
        {
          heading: say('admin.subscription.begins'),
          cell: ({ change }) =>
            change.begins === 'NOW'
              ? say('admin.subscription.atOnce')
              : say('admin.subscription.on', { end }),
        },
        {
          heading: say('admin.subscription.invoiceNow'),
          cell: ({ plan, change }) =>
            change.begins === 'NOW'
              ? money(change.dueCents, plan.currency)
              : say('admin.subscription.none'),
          isNumber: true,
        },
        {
          heading: say('admin.subscription.includedPeriod'),
          cell: ({ change }) =>
            number((change.begins === 'NOW' ? change : subscription).terms.includedPoints),
          isNumber: true,
        },
      ],
      rows,
      empty: emptyState(
        say('admin.subscription.invoicesBefore.empty.title'),
        say('admin.subscription.invoicesBefore.empty.text'),
      ),
    }),
    html`<p class="muted after">${say('admin.subscription.invoicesBefore.text', { end, at: time(at) })}</p>`,
  );
}

const planField = (plans: readonly PlanVersionDoc[], filled: Filled, chosen = '') =>
  select({
    name: 'planVersionId',
    label: say('common.plan'),
    filled,
    chosen,
    choices: plans.map((plan) => ({
      value: plan._id,
      text: say('admin.subscription.planField.text', {
        name: plan.name,
        version: plan.version,
        monthlyPrice: moneyText(plan.monthlyPriceCents, plan.currency),
        annualPrice: moneyText(plan.annualPriceCents, plan.currency),
      }),
    })),
  });

const nothingOffered = () =>
  emptyState(
    say('admin.subscription.nothingOffered.empty.title'),
    say('admin.subscription.nothingOffered.empty.text'),
    linkButton('/admin/plans', say('admin.subscription.viewPlans'), 'secondary'),
  );
