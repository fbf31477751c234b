import { formatMicros } from '../../../../domain/money.ts';
import type { PlanVersionDoc } from '../../../../models/schemas/plan-version.ts';
import type { Plans } from '../../../../models/views/plans.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../components.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { confirm, field, form, textArea } from '../../form.ts';
import { money, number, time } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { adminPaths, to } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

export const planStatuses = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const;

const crumbs = [['Plans', '/admin/plans']] as const;

export function plansPage(ctx: PageContext<'operator'>, { items, nextCursor }: Plans): Page {
  return page(
    {
      title: 'Plans',
      lead: 'A published version never changes; partners on it keep it.',
      actions: hasPermission(ctx.state.viewer, 'plan.create')
        ? linkButton('/admin/plans/new', 'New version')
        : nothing,
    },
    filterBar(ctx, [{ name: 'status', label: 'State', choices: choicesOf(planStatuses, wordsOf) }]),
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
      empty: emptyState('No plan here', 'Partners are subscribed to versions that are published.'),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newPlanPage(ctx: PageContext<'operator'>, filled: Filled): Page {
  const decimal = { inputmode: 'decimal', filled, isRequired: true } as const;
  const numeric = { inputmode: 'numeric', filled, isRequired: true } as const;
  return page(
    {
      title: 'New version of a plan',
      crumbs,
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
        label: 'Each extra point',
        ...decimal,
        hint: 'Such as 0.002.',
      }),
      field({ name: 'apiRateLimitPerMinute', label: 'Requests per minute', ...numeric }),
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

export function planPage(ctx: PageContext<'operator'>, plan: PlanVersionDoc): Page {
  const { _id, name, currency, status } = plan;
  const { viewer } = ctx.state;
  const path = adminPaths.PLAN + _id;
  return page(
    { title: `${name}, version ${plan.version}`, crumbs, lead: badge(status) },
    section(
      'Plan version',
      facts([
        ['Code', code(plan.planCode)],
        ['A month', money(plan.monthlyPriceCents, currency)],
        ['A year', money(plan.annualPriceCents, currency)],
        ['Points included in a month', number(plan.includedPoints)],
        ['Each extra point', `${formatMicros(plan.overageRateMicrosPerPoint)} ${currency}`],
        ['Requests per minute', number(plan.apiRateLimitPerMinute)],
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
              question: 'Every partner can choose it, and it can no longer change.',
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
            question: 'It is no longer offered. Partners on it keep it.',
          }),
        ),
  );
}
