import { microsText } from '../../../../domain/money.ts';
import type { PlanVersionDoc } from '../../../../models/schemas/plan-version.ts';
import type { Plans } from '../../../../models/views/plans.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
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
import { type Html, html, nothing } from '../../html.ts';
import { operatorPaths, to } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

export const planStatuses = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const;

const crumbs = () => [[say('admin.plans.plans'), '/admin/plans']] as const;

export function plansPage(ctx: PageContext<'operator'>, { items, nextCursor }: Plans): Page {
  return page(
    {
      title: say('admin.plans.title'),
      lead: say('admin.plans.lead'),
      actions: hasPermission(ctx.state.viewer, 'plan.create')
        ? linkButton('/admin/plans/new', say('admin.plans.newVersion'))
        : nothing,
    },
    filterBar(ctx, [
      { name: 'status', label: say('common.state'), choices: choicesOf(planStatuses, wordsOf) },
    ]),
    html`<section class="card" id="list">${table({
      caption: say('admin.plans.caption'),
      columns: [
        { heading: say('common.plan'), cell: ({ _id, name }) => to('PLAN', _id, name) },
        { heading: say('admin.plans.version'), cell: ({ version }) => version, isNumber: true },
        { heading: say('common.state'), cell: (one) => badge(one.status) },
        {
          heading: say('admin.plans.aMonth'),
          cell: ({ monthlyPriceCents, currency }) => money(monthlyPriceCents, currency),
          isNumber: true,
        },
        {
          heading: say('admin.plans.aYear'),
          cell: ({ annualPriceCents, currency }) => money(annualPriceCents, currency),
          isNumber: true,
        },
        {
          heading: say('admin.plans.pointsAMonth'),
          cell: ({ includedPoints }) => number(includedPoints),
          isNumber: true,
        },
      ],
      rows: items,
      empty: emptyState(say('admin.plans.empty.title'), say('admin.plans.empty.text')),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newPlanPage(ctx: PageContext<'operator'>, filled: Filled): Page {
  const decimal = { inputmode: 'decimal', filled, isRequired: true } as const;
  const numeric = { inputmode: 'numeric', filled, isRequired: true } as const;
  return page(
    {
      title: say('admin.plans.newPlan.title'),
      crumbs: crumbs(),
      lead: say('admin.plans.newPlan.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/plans/new', submit: say('admin.plans.newPlan.submit'), filled },
      field({
        name: 'planCode',
        label: say('common.code'),
        filled,
        isRequired: true,
        maxLength: 40,
        hint: say('admin.plans.planCode.hint'),
      }),
      field({ name: 'name', label: say('common.name'), filled, isRequired: true, maxLength: 100 }),
      field({
        name: 'currency',
        label: say('common.currency'),
        filled,
        maxLength: 3,
        hint: say('admin.plans.currency.hint'),
      }),
      field({
        name: 'monthlyPrice',
        label: say('admin.plans.monthlyPrice'),
        ...decimal,
        hint: say('admin.plans.monthlyPrice.hint'),
      }),
      field({ name: 'annualPrice', label: say('admin.plans.annualPrice'), ...decimal }),
      field({ name: 'includedPoints', label: say('admin.plans.includedPoints'), ...numeric }),
      field({
        name: 'overageRate',
        label: say('admin.plans.overageRate'),
        ...decimal,
        hint: say('admin.plans.overageRate.hint'),
      }),
      field({
        name: 'apiRateLimitPerMinute',
        label: say('admin.plans.apiRateLimitPerMinute'),
        ...numeric,
      }),
      field({
        name: 'supportClass',
        label: say('common.support'),
        filled,
        isRequired: true,
        maxLength: 40,
        hint: say('admin.plans.supportClass.hint'),
      }),
      textArea({
        name: 'features',
        label: say('admin.plans.features'),
        filled,
        rows: 4,
        hint: say('admin.plans.features.hint'),
      }),
    )}</div>`,
  );
}

export function planPage(ctx: PageContext<'operator'>, plan: PlanVersionDoc): Page {
  const { _id, name, status, version } = plan;
  const { viewer } = ctx.state;
  const path = operatorPaths.PLAN + _id;
  return page(
    {
      title: say('admin.plans.plan.title', { name, version }),
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
    say('admin.plans.section.planVersion'),
    facts([
      [say('common.code'), code(plan.planCode)],
      [say('admin.plans.aMonth'), money(plan.monthlyPriceCents, currency)],
      [say('admin.plans.aYear'), money(plan.annualPriceCents, currency)],
      [say('admin.plans.pointsIncludedMonth'), number(plan.includedPoints)],
      [say('admin.plans.eachExtraPoint'), microsText(plan.overageRateMicrosPerPoint, currency)],
      [say('admin.plans.requestsPerMinute'), number(plan.apiRateLimitPerMinute)],
      [say('common.support'), plan.supportClass],
      [say('admin.plans.features'), plan.features.length === 0 ? '–' : plan.features.join(', ')],
      [say('admin.plans.drafted'), time(plan.createdAt)],
      [say('admin.plans.published'), time(plan.publishedAt)],
      [say('admin.plans.archived'), time(plan.archivedAt)],
      [say('common.id'), code(plan._id, { canCopy: true })],
    ]),
  );
}

function publishSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    say('admin.plans.section.publish'),
    confirm(ctx, {
      ask: say('admin.plans.plan.ask'),
      action: `${path}/publish`,
      submit: say('admin.plans.plan.submit'),
      isDangerous: false,
      question: say('admin.plans.plan.question'),
    }),
  );
}

function archiveSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    say('admin.plans.section.archive'),
    confirm(ctx, {
      ask: say('admin.plans.plan.ask.archive'),
      action: `${path}/archive`,
      submit: say('admin.plans.plan.submit.archive'),
      question: say('admin.plans.plan.question.longerOffered'),
    }),
  );
}
