import Joi from 'joi';
import { microsText } from '../../domain/money.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { PlanVersionDoc } from '../../models/schemas/billing.ts';
import {
  archivePlanVersion,
  createPlanVersion,
  planLimits,
  publishPlanVersion,
} from '../../operations/plans.ts';
import { type Plans, readPlan, readPlans } from '../../views/billing.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  section,
} from '../components/components.ts';
import { amountField, confirm, field, form, numberField, textArea } from '../components/form.ts';
import { type Html, html, money, nothing, number, time } from '../components/format.ts';
import { operatorPaths, to } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField, currencyField, moneyField, nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { type Asked, asked, choiceFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

/** One per line. */
const features = Joi.string()
  .trim()
  .max(5_100)
  .default([])
  .custom((text: string) => {
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const all = lines.filter((line) => line !== '');
    if (all.length > 50 || all.some((line) => line.length > 100)) throw new Error('range');
    return all;
  })
  .messages({ 'any.custom': 'Enter at most 50 lines of up to 100 characters.' });

const whole = countField(0).required();

const price = moneyField('cents', { max: planLimits.priceCents }).required();

const createSchema = Joi.object({
  planCode: Joi.string()
    .pattern(/^[a-z][a-z0-9-]{0,39}$/)
    .required()
    .messages({
      'any.required': 'Enter a code for the plan.',
      'string.pattern.base': 'Use up to 40 lowercase letters, digits and hyphens.',
    }),
  name: nameField.required(),
  currency: currencyField.default('USD'),
  monthlyPrice: price,
  annualPrice: price,
  includedPoints: whole,
  overageRate: moneyField('micros', {
    max: planLimits.overageRateMicrosPerPoint,
  }).required(),
  apiRateLimitPerMinute: whole,
  supportClass: nameField
    .max(40)
    .required()
    .messages({ 'any.required': 'Enter a support class, such as standard.' }),
  features,
}).required();

const path = '/admin/plans/:planVersionId';

/** Plans and their versions. */
export function operatorPlanPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/plans', showPlans);
  routes.operation('/admin/plans/new', createPlanVersion, {
    page: showNew,
    form: createSchema,
    input: ({ monthlyPrice, annualPrice, overageRate, ...rest }) => ({
      ...rest,
      monthlyPriceCents: monthlyPrice,
      annualPriceCents: annualPrice,
      overageRateMicrosPerPoint: overageRate,
    }),
    to: ({ _id }) => operatorPaths.PLAN + _id,
    said: 'Draft saved.',
  });
  routes.page(path, showPlan);
  routes.operation(`${path}/publish`, publishPlanVersion, { to: path, said: 'Version published.' });
  routes.operation(`${path}/archive`, archivePlanVersion, { to: path, said: 'Version archived.' });
}

async function showPlans(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, planFilters);
  const plans = await readPlans(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, plansPage(ctx, list, plans));
}

function showNew(ctx: PageContext<'operator'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newPlanPage(ctx, filled));
}

async function showPlan(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, planPage(ctx, await readPlan(deps, param(ctx, 'planVersionId'))));
}

const planFilters = {
  status: choiceFilter('State', ['DRAFT', 'PUBLISHED', 'ARCHIVED']),
};

const crumbs = () => [['Plans', '/admin/plans']] as const;

const plansPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor }: Plans,
): Page =>
  page(
    {
      title: 'Plans',
      lead: 'A published version never changes; partners on it keep it.',
      actions: hasPermission(ctx.state.viewer, 'plan.create')
        ? linkButton('/admin/plans/new', 'New version')
        : nothing,
    },
    list(ctx, {
      asked,
      caption: 'Plan versions',
      columns: {
        Plan: ({ _id, name }) => to('PLAN', _id, name),
        Version: { number: ({ version }) => version },
        State: (one) => badge(one.status),
        'Per month': { number: (one) => money(one.monthlyPriceCents, one.currency) },
        'Per year': { number: (one) => money(one.annualPriceCents, one.currency) },
        'Points per month': { number: ({ includedPoints }) => includedPoints },
      },
      rows: items,
      empty: emptyState('No plans', 'Partners can be put on published versions.'),
      nextCursor,
    }),
  );

function newPlanPage(ctx: PageContext<'operator'>, filled: Filled): Page {
  // In the currency that is entered above.
  const priced = { filled, isRequired: true, currency: 'USD', currencyIn: '#currency' } as const;
  const counted = { reads: 'count', filled, isRequired: true } as const;
  return page(
    {
      title: 'New version of a plan',
      crumbs: crumbs(),
      lead: 'A draft, not offered until it is published. An existing code gets its next version.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/plans/new', submit: 'Save draft', filled },
      field({
        name: 'planCode',
        label: 'Code',
        filled,
        isRequired: true,
        maxLength: 40,
        hint: 'For example, growth.',
      }),
      field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
      field({
        name: 'currency',
        label: 'Currency',
        filled,
        maxLength: 3,
        hint: 'USD if left empty.',
      }),
      amountField({ name: 'monthlyPrice', label: 'Price per month', ...priced }),
      amountField({ name: 'annualPrice', label: 'Price per year', ...priced }),
      numberField({ name: 'includedPoints', label: 'Points included per month', ...counted }),
      numberField({
        name: 'overageRate',
        label: 'Each extra point',
        ...priced,
        reads: 'price',
        hint: 'For example, 0.002.',
      }),
      numberField({
        name: 'apiRateLimitPerMinute',
        label: 'Requests per minute',
        ...counted,
      }),
      field({
        name: 'supportClass',
        label: 'Support',
        filled,
        isRequired: true,
        maxLength: 40,
        hint: 'For example, standard.',
      }),
      textArea({
        name: 'features',
        label: 'Features',
        filled,
        rows: 4,
        hint: 'One per line.',
      }),
    )}</div>`,
  );
}

function planPage(ctx: PageContext<'operator'>, plan: PlanVersionDoc): Page {
  const { _id, name, status, version } = plan;
  const { viewer } = ctx.state;
  const path = operatorPaths.PLAN + _id;
  return page(
    {
      title: `${name}, version ${version}`,
      crumbs: crumbs(),
      lead: badge(status),
    },
    versionSection(plan),
    status === 'DRAFT' && hasPermission(viewer, 'plan.publish')
      ? publishSection(ctx, path)
      : nothing,
    status === 'ARCHIVED' || !hasPermission(viewer, 'plan.archive')
      ? nothing
      : archiveSection(ctx, path),
  );
}

function versionSection(plan: PlanVersionDoc): Html {
  const { currency } = plan;
  return section(
    'Plan version',
    definitions([
      ['Code', code(plan.planCode)],
      ['Per month', money(plan.monthlyPriceCents, currency)],
      ['Per year', money(plan.annualPriceCents, currency)],
      ['Points included per month', number(plan.includedPoints)],
      ['Each extra point', microsText(plan.overageRateMicrosPerPoint, currency)],
      ['Requests per minute', number(plan.apiRateLimitPerMinute)],
      ['Support', plan.supportClass],
      ['Features', plan.features.length === 0 ? '–' : plan.features.join(', ')],
      ['Drafted', time(plan.createdAt)],
      ['Published', time(plan.publishedAt)],
      ['Archived', time(plan.archivedAt)],
      ['ID', code(plan._id, { canCopy: true })],
    ]),
  );
}

function publishSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    'Publish',
    confirm(ctx, {
      ask: 'Publish …',
      action: `${path}/publish`,
      submit: 'Publish',
      isDangerous: false,
      question: 'Partners can then be put on it, and it can no longer be changed.',
    }),
  );
}

function archiveSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    'Archive',
    confirm(ctx, {
      ask: 'Archive …',
      action: `${path}/archive`,
      submit: 'Archive',
      question: 'It is no longer offered. Partners on it keep it.',
    }),
  );
}
