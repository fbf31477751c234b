import Joi from 'joi';
import { policyLimits } from '../../domain/refund-policy.ts';
import { execute } from '../../operations/execute.ts';
import {
  activatePolicy,
  createPolicy,
  deactivatePolicy,
} from '../../operations/refund-policies.ts';
import { readPolicies, readPolicy, tryPolicy } from '../../views/refund-policies.ts';
import { render } from '../components/view.ts';
import { checkedMode, type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField, moneyField } from '../forms/fields.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { newPolicyPage, policiesPage, policyPage } from '../pages/refund-policies.ts';
import { modeOf, policyPermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RouteSpec } from '../routing/route.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const creating = {
  audience: 'partner',
  permission: { ...policyPermissions, modeOf },
  path: '/refund-policy/new',
} as const;
const ofPolicy = {
  audience: 'partner',
  permission: {
    ...policyPermissions,
    modeOf: async (ctx, deps) => (await ownPolicy(ctx, deps)).policy.mode,
  },
  params: { policyId: 'policy' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;

interface PolicyForm {
  maxCents?: number;
  count?: number;
  days?: number;
  withinDays?: number;
  graceHours: number;
}

const formSchema = Joi.object<PolicyForm>({
  maxCents: moneyField('cents', { max: policyLimits.cents }),
  count: countField(1, policyLimits.count),
  days: countField(1, policyLimits.days),
  withinDays: countField(1, policyLimits.days),
  graceHours: countField(1, policyLimits.graceHours)
    .required()
    .messages({ 'any.required': 'Enter a number of hours, such as 48.' }),
})
  .and('count', 'days')
  .messages({ 'object.and': 'Enter both the number of refunds and the days, or neither.' });

/** A partner's refund policies: which refunds of claimed rewards are upheld without an operator. */
export function refundPolicyPages(routes: Routes): void {
  routes.page({ ...reading, path: '/refund-policy' }, showPolicies);
  routes.page(creating, showNew);
  routes.action(creating, { schema: formSchema, act: create, retry: showNew });
  routes.page(
    { ...reading, path: '/refund-policy/:policyId', params: { policyId: 'policy' } },
    showPolicy,
  );
  routes.action(
    { ...ofPolicy, path: '/refund-policy/:policyId/activate' },
    { schema: seenSchema, act: activate, retry: showPolicy },
  );
  routes.action(
    { ...ofPolicy, path: '/refund-policy/:policyId/deactivate' },
    { schema: Joi.object({}), act: deactivate, retry: showPolicy },
  );
}

const seenSchema = Joi.object<{ replaces: string }>({ replaces: Joi.string().max(64).default('') });

const ownPolicy = (ctx: PageContext<'partner'>, deps: PageDeps) =>
  readPolicy(deps, ownScope(ctx), param(ctx, 'policyId'));

async function showPolicies(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  render(ctx, policiesPage(ctx, mode, await readPolicies(deps, ownScope(ctx), mode)));
}

async function showNew(
  ctx: PageContext<'partner'>,
  _deps: PageDeps,
  filled: Filled = filledWith({ graceHours: 48 }),
): Promise<void> {
  render(ctx, newPolicyPage(ctx, checkedMode(ctx), filled));
}

async function create(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { maxCents, count, days, withinDays, graceHours }: PolicyForm,
): Promise<void> {
  const { _id } = await execute(deps, createPolicy, actorOf(ctx), {
    partnerId: ctx.state.viewer.partner._id,
    mode: checkedMode(ctx),
    maxCents: maxCents ?? null,
    perCustomer: count !== undefined && days !== undefined ? { count, days } : null,
    withinDays: withinDays ?? null,
    graceHours,
  });
  redirect(
    ctx,
    `/refund-policy/${_id}`,
    'Draft created. It decides nothing until you activate it.',
  );
}

async function showPolicy(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await ownPolicy(ctx, deps);
  const tried = await tryPolicy(deps, ownScope(ctx), found.policy);
  render(ctx, policyPage(ctx, found, tried, filled));
}

async function activate(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { replaces }: { replaces: string },
): Promise<void> {
  const { policy } = await ownPolicy(ctx, deps);
  const { policyId, mode } = policy;
  await execute(deps, activatePolicy, actorOf(ctx), { policyId, seen: replaces || null });
  redirect(ctx, `/refund-policy/${policyId}`, `The policy is in force in ${mode}.`);
}

async function deactivate(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { policyId } = (await ownPolicy(ctx, deps)).policy;
  await execute(deps, deactivatePolicy, actorOf(ctx), { policyId });
  redirect(ctx, `/refund-policy/${policyId}`, 'The policy is no longer in force.');
}
