import Joi from 'joi';
import { formatMicros } from '../../../domain/money.ts';
import { given, type PageQuery, page, pageParameters } from '../../../http/paging.ts';
import { archivePlanVersion } from '../../../models/commands/archive-plan-version.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
  planLimits,
} from '../../../models/commands/create-plan-version.ts';
import { findPlanVersion } from '../../../models/commands/find-billing.ts';
import { publishPlanVersion } from '../../../models/commands/publish-plan-version.ts';
import type { PlanVersionDoc } from '../../../models/schemas/plan-version.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { nameField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { confirm, field, form, textArea } from '../../html/form.ts';
import { money, number, time } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, to } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { moneyField } from '../../money-field.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

const statuses = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const;
const querySchema = Joi.object<PageQuery & { status?: PlanVersionDoc['status'] }>({
  status: Joi.string().valid(...statuses),
  ...pageParameters,
});

/** As text, a line for each. */
const features = Joi.string()
  .trim()
  .max(5_100)
  .default('')
  .custom((text: string) => {
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const all = lines.filter((line) => line !== '');
    if (all.length > 50 || all.some((line) => line.length > 100)) throw new Error('range');
    return all;
  })
  .messages({ 'any.custom': 'At most 50 lines of 100 characters.' });
const whole = Joi.number().integer().required().messages({
  'any.required': 'Enter a number.',
  'number.base': 'Enter a number.',
  'number.integer': 'Enter a whole number.',
});
const price = moneyField('cents', { max: planLimits.priceCents / 100 }).required();
const createSchema = Joi.object({
  planCode: Joi.string()
    .pattern(/^[a-z][a-z0-9-]{0,39}$/)
    .required()
    .messages({
      'any.required': 'Enter a code.',
      'string.pattern.base': 'Up to 40 small letters, digits and hyphens.',
    }),
  name: nameField.required(),
  currency: Joi.string()
    .trim()
    .uppercase()
    .pattern(/^[A-Z]{3}$/)
    .default('USD')
    .messages({ 'string.pattern.base': 'Three letters, such as USD.' }),
  monthlyPrice: price,
  annualPrice: price,
  includedPoints: whole,
  overageRate: moneyField('micros', {
    max: planLimits.overageRateMicrosPerPoint / 1_000_000,
  }).required(),
  apiRateLimitPerMinute: whole,
  supportClass: nameField.max(40).required(),
  features,
}).required();

interface Typed
  extends Omit<
    PlanVersionFields,
    'monthlyPriceCents' | 'annualPriceCents' | 'overageRateMicrosPerPoint'
  > {
  monthlyPrice: number;
  annualPrice: number;
  overageRate: number;
}

const crumbs = [['Plans', '/admin/plans']] as const;

/** The plans: what is offered, and what each version promises. */
export function adminPlanPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  routes.page({ path: '/admin/plans', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { status, ...paging } = queryOf(ctx, querySchema);
    const { items, nextCursor } = await page(
      models.planVersions,
      given({ status }),
      paging,
      (plan: PlanVersionDoc) => plan,
    );
    view(
      ctx,
      {
        title: 'Plans',
        lead: 'A version that was published never changes; who has it keeps it.',
        actions: hasPermission(ctx.state.viewer, 'plan.create')
          ? linkButton('/admin/plans/new', 'New version')
          : nothing,
      },
      filterBar(ctx, [{ name: 'status', label: 'State', choices: choicesOf(statuses, wordsOf) }]),
      html`<section class="card" id="list">${table({
        caption: 'Plan versions',
        columns: [
          { heading: 'Plan', cell: ({ _id, name }) => to('PLAN', _id, name) },
          { heading: 'Version', cell: ({ version }) => version, isNumber: true },
          { heading: 'State', cell: (one) => badge(one.status) },
          {
            heading: 'A month',
            cell: ({ monthlyPriceCents, currency }) => money(monthlyPriceCents, currency),
            isNumber: true,
          },
          {
            heading: 'A year',
            cell: ({ annualPriceCents, currency }) => money(annualPriceCents, currency),
            isNumber: true,
          },
          {
            heading: 'Points a month',
            cell: ({ includedPoints }) => number(includedPoints),
            isNumber: true,
          },
        ],
        rows: items,
        empty: emptyState(
          'No plan here',
          'Partners are subscribed to versions that are published.',
        ),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  const creating = {
    path: '/admin/plans/new',
    audience: 'operator',
    permission: 'plan.create',
    secondFactor: true,
  } as const;

  async function showNew(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const decimal = { inputmode: 'decimal', filled, isRequired: true } as const;
    const numeric = { inputmode: 'numeric', filled, isRequired: true } as const;
    view(
      ctx,
      {
        title: 'New version of a plan',
        crumbs,
        lead: 'A draft, offered to nobody until it is published. A code that is there already gets its next version.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: creating.path, submit: 'Draft it', filled },
        field({
          name: 'planCode',
          label: 'Code',
          filled,
          isRequired: true,
          maxLength: 40,
          hint: 'Such as growth.',
        }),
        field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
        field({
          name: 'currency',
          label: 'Currency',
          filled,
          maxLength: 3,
          hint: 'USD unless you say another one.',
        }),
        field({
          name: 'monthlyPrice',
          label: 'Price of a month',
          ...decimal,
          hint: 'Such as 99.00.',
        }),
        field({ name: 'annualPrice', label: 'Price of a year', ...decimal }),
        field({ name: 'includedPoints', label: 'Points included in a month', ...numeric }),
        field({
          name: 'overageRate',
          label: 'Each point beyond',
          ...decimal,
          hint: 'Such as 0.002.',
        }),
        field({ name: 'apiRateLimitPerMinute', label: 'Requests a minute', ...numeric }),
        field({
          name: 'supportClass',
          label: 'Support',
          filled,
          isRequired: true,
          maxLength: 40,
          hint: 'Such as standard.',
        }),
        textArea({
          name: 'features',
          label: 'Features',
          filled,
          rows: 4,
          hint: 'A line for each.',
        }),
      )}</div>`,
    );
  }

  routes.page(creating, (ctx) => showNew(ctx));
  routes.action(creating, {
    schema: createSchema,
    async act(ctx, { monthlyPrice, annualPrice, overageRate, ...rest }: Typed) {
      const fields: PlanVersionFields = {
        ...rest,
        monthlyPriceCents: monthlyPrice,
        annualPriceCents: annualPrice,
        overageRateMicrosPerPoint: overageRate,
      };
      const { _id } = await deed(
        deps,
        ctx,
        { action: 'plan.create', targetId: null, partnerId: null, details: { ...fields } },
        () => createPlanVersion(deps, fields),
        ({ _id: targetId }) => ({ targetId }),
      );
      redirect(ctx, adminPaths.PLAN + _id, 'The version is drafted.');
    },
    retry: showNew,
  });

  const ofPlan = {
    path: '/admin/plans/:planVersionId',
    params: { planVersionId: 'planVersion' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofPlan, permission: 'read' }, async (ctx) => {
    const plan = await findPlanVersion(models, param(ctx, 'planVersionId'));
    const { _id, name, currency, status } = plan;
    const { viewer } = ctx.state;
    const path = adminPaths.PLAN + _id;
    view(
      ctx,
      { title: `${name}, version ${plan.version}`, crumbs, lead: badge(status) },
      section(
        'Plan version',
        facts([
          ['Code', code(plan.planCode)],
          ['A month', money(plan.monthlyPriceCents, currency)],
          ['A year', money(plan.annualPriceCents, currency)],
          ['Points included in a month', number(plan.includedPoints)],
          ['Each point beyond', `${formatMicros(plan.overageRateMicrosPerPoint)} ${currency}`],
          ['Requests a minute', number(plan.apiRateLimitPerMinute)],
          ['Support', plan.supportClass],
          ['Features', plan.features.length === 0 ? '–' : plan.features.join(', ')],
          ['Drafted', time(plan.createdAt)],
          ['Published', time(plan.publishedAt)],
          ['Archived', time(plan.archivedAt)],
          ['Id', code(_id, { canCopy: true })],
        ]),
      ),
      status === 'DRAFT' && hasPermission(viewer, 'plan.publish')
        ? section(
            'Publish',
            confirm(ctx, {
              ...{ ask: 'Publish …', action: `${path}/publish`, submit: 'Publish' },
              ...{
                isDangerous: false,
                question: 'Every partner can take it, and from then on it never changes.',
              },
            }),
          )
        : nothing,
      status === 'ARCHIVED' || !hasPermission(viewer, 'plan.archive')
        ? nothing
        : section(
            'Archive',
            confirm(ctx, {
              ...{ ask: 'Archive …', action: `${path}/archive`, submit: 'Archive' },
              question: 'It is offered no longer. Partners who have it keep it.',
            }),
          ),
    );
  });

  for (const [verb, action, command, said] of [
    ['publish', 'plan.publish', publishPlanVersion, 'The version is published.'],
    ['archive', 'plan.archive', archivePlanVersion, 'The version is archived.'],
  ] as const) {
    routes.action(
      { ...ofPlan, path: `${ofPlan.path}/${verb}`, permission: action, secondFactor: true },
      {
        schema: Joi.object({}),
        async act(ctx) {
          const { _id: targetId } = await findPlanVersion(models, param(ctx, 'planVersionId'));
          await deed(deps, ctx, { action, targetId, partnerId: null }, () =>
            command(deps, targetId),
          );
          redirect(ctx, adminPaths.PLAN + targetId, said);
        },
      },
    );
  }
}
