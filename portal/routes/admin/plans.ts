import Joi from 'joi';
import { pageSchema } from '../../../http/query.ts';
import { execute } from '../../../operations/execute.ts';
import {
  archivePlanVersion,
  createPlanVersion,
  type PlanVersionFields,
  planLimits,
  publishPlanVersion,
} from '../../../operations/plans.ts';
import { actorOf } from '../../../portal/operate.ts';
import { readPlan, readPlans } from '../../../views/billing.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { countField, currencyField, moneyField, nameField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { newPlanPage, planFilters, planPage, plansPage } from '../../pages/admin/plans.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

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

interface Typed
  extends Omit<
    PlanVersionFields,
    'monthlyPriceCents' | 'annualPriceCents' | 'overageRateMicrosPerPoint'
  > {
  monthlyPrice: number;
  annualPrice: number;
  overageRate: number;
}

const creating = {
  path: '/admin/plans/new',
  audience: 'operator',
  permission: 'plan.create',
  secondFactor: true,
} as const;
const ofPlan = {
  path: '/admin/plans/:planVersionId',
  params: { planVersionId: 'planVersion' },
  audience: 'operator',
} as const;

/** Plans and their versions. */
export function operatorPlanPages(routes: Routes): void {
  routes.page({ path: '/admin/plans', audience: 'operator', permission: 'read' }, showPlans);
  routes.page(creating, showNew);
  routes.action(creating, { schema: createSchema, act: createDraft, retry: showNew });
  routes.page({ ...ofPlan, permission: 'read' }, showPlan);
  for (const verb of ['publish', 'archive'] as const) {
    routes.action(
      { ...ofPlan, path: `${ofPlan.path}/${verb}`, permission: `plan.${verb}`, secondFactor: true },
      { schema: Joi.object({}), act: verb === 'publish' ? publish : archive },
    );
  }
}

async function showPlans(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, planFilters);
  const plans = await readPlans(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, plansPage(ctx, list, plans));
}

function showNew(ctx: PageContext<'operator'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newPlanPage(ctx, filled));
}

async function createDraft(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { monthlyPrice, annualPrice, overageRate, ...rest }: Typed,
): Promise<void> {
  const fields: PlanVersionFields = {
    ...rest,
    monthlyPriceCents: monthlyPrice,
    annualPriceCents: annualPrice,
    overageRateMicrosPerPoint: overageRate,
  };
  const { _id } = await execute(deps, createPlanVersion, actorOf(ctx), fields);
  redirect(ctx, operatorPaths.PLAN + _id, 'Draft saved.');
}

async function showPlan(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, planPage(ctx, await readPlan(deps, param(ctx, 'planVersionId'))));
}

async function publish(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const planVersionId = param(ctx, 'planVersionId');
  await execute(deps, publishPlanVersion, actorOf(ctx), { planVersionId });
  redirect(ctx, operatorPaths.PLAN + planVersionId, 'Version published.');
}

async function archive(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const planVersionId = param(ctx, 'planVersionId');
  await execute(deps, archivePlanVersion, actorOf(ctx), { planVersionId });
  redirect(ctx, operatorPaths.PLAN + planVersionId, 'Version archived.');
}
