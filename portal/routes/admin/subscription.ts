import Joi from 'joi';
import { type Interval, intervals } from '../../../domain/plan-arithmetic.ts';
import { cancelSubscription } from '../../../models/commands/cancel-subscription.ts';
import { changePlan } from '../../../models/commands/change-plan.ts';
import { findPartner } from '../../../models/commands/find.ts';
import { findSubscription } from '../../../models/commands/find-billing.ts';
import { subscribe } from '../../../models/commands/subscribe.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { PlanVersionDoc } from '../../../models/schemas/plan-version.ts';
import type { SubscriptionDoc } from '../../../models/schemas/subscription.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import { badge, emptyState, facts, linkButton, section, table } from '../../html/components.ts';
import { confirm, form, select } from '../../html/form.ts';
import { day, money, moneyText, number, time } from '../../html/format.ts';
import { type Html, html, nothing } from '../../html/html.ts';
import { adminPaths, crumbsOfPartner, to } from '../../html/links.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import type { Routes } from '../../route-table.ts';

/** More plans than are ever offered at once, and the invoices of two years. */
const maxRows = 50;

const planVersionId = Joi.string()
  .max(64)
  .required()
  .messages({ 'any.required': 'Choose a plan.' });
const subscribeSchema = Joi.object<{ planVersionId: string; interval: Interval }>({
  planVersionId,
  interval: Joi.string()
    .valid(...intervals)
    .default('MONTH'),
});
const changeSchema = Joi.object<{ planVersionId: string }>({ planVersionId });

/** What a partner pays for: its plan, the running period, and its invoices. */
export function adminSubscriptionPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;
  const params = { partnerId: 'partner' } as const;
  const path = '/admin/partners/:partnerId/subscription';

  routes.page({ path, params, audience: 'operator', permission: 'read' }, async (ctx) => {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const { _id: partnerId, currency } = partner;
    const [found, invoices] = await Promise.all([
      models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }).lean(),
      models.invoices.find({ partnerId }).sort({ _id: -1 }).limit(maxRows).lean(),
    ]);
    view(
      ctx,
      { title: 'Subscription', crumbs: crumbsOfPartner(partner) },
      found ? await current(ctx, partner, found) : none(ctx, partner),
      section(
        'Invoices',
        table({
          caption: 'Invoices',
          columns: [
            { heading: 'Number', cell: (one) => one.number },
            { heading: 'For', cell: ({ kind }) => (kind === 'PERIOD' ? 'a period' : 'an upgrade') },
            {
              heading: 'Period',
              cell: (one) => html`${day(one.periodStart)} to ${day(one.periodEnd)}`,
            },
            { heading: 'Issued', cell: ({ issuedAt }) => day(issuedAt) },
            { heading: 'Due', cell: ({ dueAt }) => day(dueAt) },
            { heading: '', cell: ({ paymentStatus }) => badge(paymentStatus) },
            {
              heading: 'Total',
              cell: ({ totalCents }) => money(totalCents, currency),
              isNumber: true,
            },
          ],
          rows: invoices,
          empty: emptyState('No invoice yet', 'The end of a period issues one.'),
        }),
      ),
    );
  });

  function none(ctx: PageContext<'operator'>, { _id, name }: PartnerDoc): Html {
    return section(
      'No subscription',
      html`<p>${name} pays for nothing, and its requests are limited by its profile.</p>`,
      hasPermission(ctx.state.viewer, 'subscription.create')
        ? html`<p>${linkButton(`${adminPaths.PARTNER}${_id}/subscribe`, 'Put on a plan')}</p>`
        : nothing,
    );
  }

  async function current(
    ctx: PageContext<'operator'>,
    { _id, name, currency }: PartnerDoc,
    subscription: SubscriptionDoc,
  ): Promise<Html> {
    const { planVersionId: planId, pendingPlanVersionId, terms, endsAt } = subscription;
    const plans = await models.planVersions
      .find({ _id: { $in: [planId, pendingPlanVersionId ?? planId] } })
      .lean();
    const nameOf = (id: string) => {
      const plan = plans.find((one) => one._id === id);
      return plan ? `${plan.name}, version ${plan.version}` : id;
    };
    const at = `${adminPaths.PARTNER}${_id}`;
    return section(
      'The running period',
      facts([
        ['Plan', to('PLAN', planId, nameOf(planId))],
        ['Billed each', subscription.interval === 'MONTH' ? 'month' : 'year'],
        [
          'Period',
          html`${day(subscription.currentPeriodStart)} to ${day(subscription.currentPeriodEnd)}`,
        ],
        ['Price', money(terms.priceCents, currency)],
        ['Points included', number(terms.includedPoints)],
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
            linkButton(`${at}/plan`, 'Change the plan', 'secondary'),
            endsAt === null
              ? confirm(ctx, {
                  ...{ ask: 'Cancel …', action: `${at}/subscription/cancel`, submit: 'Cancel it' },
                  question: `The subscription of ${name} runs to the end of its period, whose invoice is its last.`,
                })
              : nothing,
          ]}</div>`
        : nothing,
    );
  }

  const offered = async ({ currency }: PartnerDoc): Promise<PlanVersionDoc[]> =>
    await models.planVersions
      .find({ status: 'PUBLISHED', currency })
      .sort({ planCode: 1, version: -1 })
      .limit(maxRows)
      .lean();

  const planField = (plans: readonly PlanVersionDoc[], filled: Filled, chosen = '') =>
    select({
      ...{ name: 'planVersionId', label: 'Plan', filled, chosen },
      choices: plans.map((plan) => ({
        value: plan._id,
        text: `${plan.name}, version ${plan.version}: ${moneyText(plan.monthlyPriceCents, plan.currency)} a month, ${moneyText(plan.annualPriceCents, plan.currency)} a year`,
      })),
    });

  const nothingOffered = emptyState(
    'No plan is offered',
    'Publish one that is priced in the partner’s currency.',
    linkButton('/admin/plans', 'To the plans', 'secondary'),
  );

  const subscribing = {
    path: '/admin/partners/:partnerId/subscribe',
    params,
    audience: 'operator',
    permission: 'subscription.create',
    secondFactor: true,
  } as const;

  async function showSubscribe(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const plans = await offered(partner);
    view(
      ctx,
      { title: 'Put on a plan', crumbs: crumbsOfPartner(partner) },
      plans.length === 0
        ? nothingOffered
        : html`<div class="card narrow">${form(
            ctx,
            { action: ctx.path, submit: 'Subscribe', filled },
            planField(plans, filled),
            select({
              ...{ name: 'interval', label: 'Billed each', filled },
              choices: [
                { value: 'MONTH', text: 'Month' },
                { value: 'YEAR', text: 'Year' },
              ],
            }),
          )}</div>`,
    );
  }

  routes.page(subscribing, (ctx) => showSubscribe(ctx));
  routes.action(subscribing, {
    schema: subscribeSchema,
    async act(ctx, fields) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      await deed(
        deps,
        ctx,
        { action: 'subscription.create', targetId: null, partnerId, details: { ...fields } },
        () => subscribe(deps, { partnerId, ...fields }),
        ({ _id: targetId }) => ({ targetId }),
      );
      redirect(ctx, `${adminPaths.PARTNER}${partnerId}/subscription`, 'The first period begins.');
    },
    retry: showSubscribe,
  });

  const changing = {
    path: '/admin/partners/:partnerId/plan',
    params,
    audience: 'operator',
    permission: 'subscription.change',
    secondFactor: true,
  } as const;

  async function showChange(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const [found, plans] = await Promise.all([
      models.subscriptions.findOne({ partnerId: partner._id, status: 'ACTIVE' }).lean(),
      offered(partner),
    ]);
    const subscription = `${adminPaths.PARTNER}${partner._id}/subscription`;
    view(
      ctx,
      {
        title: 'Change the plan',
        crumbs: [...crumbsOfPartner(partner), ['Subscription', subscription]],
        lead: 'A cheaper plan begins with the next period; any other at once, with an invoice for the rest of this one.',
      },
      found === null
        ? none(ctx, partner)
        : plans.length === 0
          ? nothingOffered
          : html`<div class="card narrow">${form(
              ctx,
              { action: ctx.path, submit: 'Change the plan', filled },
              planField(plans, filled, found.planVersionId),
            )}</div>`,
    );
  }

  routes.page(changing, (ctx) => showChange(ctx));
  routes.action(changing, {
    schema: changeSchema,
    async act(ctx, details) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      const { _id: targetId } = await findSubscription(models, partnerId);
      await deed(deps, ctx, { action: 'subscription.change', targetId, partnerId, details }, () =>
        changePlan(deps, partnerId, details.planVersionId),
      );
      redirect(ctx, `${adminPaths.PARTNER}${partnerId}/subscription`, 'The plan is changed.');
    },
    retry: showChange,
  });

  routes.action(
    {
      path: `${path}/cancel`,
      params,
      audience: 'operator',
      permission: 'subscription.cancel',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
        const subscription = await models.subscriptions
          .findOne({ partnerId, status: 'ACTIVE' })
          .lean();
        const back = `${adminPaths.PARTNER}${partnerId}/subscription`;
        if (!subscription) return redirect(ctx, back, 'There is no subscription.', 'bad');
        await deed(
          deps,
          ctx,
          { action: 'subscription.cancel', targetId: subscription._id, partnerId },
          () => cancelSubscription(deps, partnerId),
          ({ endsAt }) => ({ details: { endsAt } }),
        );
        redirect(ctx, back, 'It is cancelled, and runs to the end of its period.');
      },
    },
  );
}
