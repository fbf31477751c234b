import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { type PolicyTest, policyLimits, type RefundPolicy } from '../../domain/refund-policy.ts';
import { param } from '../../http/context.ts';
import type { PolicyVersion } from '../../models/rewards/refund-policies.ts';
import {
  activatePolicy,
  createPolicy,
  deactivatePolicy,
} from '../../operations/refund-policies.ts';
import { readPolicies, readPolicy, tryPolicy } from '../../views/refund-policies.ts';
import {
  badge,
  definitions,
  emptyState,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { amountField, confirm, form, hidden, numberField } from '../components/form.ts';
import { day, html, minuteText, moneyText, nothing, numberText } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import { checkedMode, type PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField, moneyField } from '../forms/fields.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { modeOf, policyPermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { policySentence } from '../words/policy-words.ts';

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

const seenSchema = Joi.object<{ replaces: string }>({ replaces: Joi.string().max(64).default('') });

const path = '/refund-policy/:policyId';

/** A partner's refund policies: which refunds of claimed rewards are upheld without an operator. */
export function refundPolicyPages(routes: RoutesOf<'partner'>): void {
  const ofPolicy = async (ctx: PageContext<'partner'>, deps: PageDeps) =>
    (await ownPolicy(ctx, deps)).policy.mode;
  routes.page('/refund-policy', showPolicies);
  routes.operation('/refund-policy/new', createPolicy, {
    modeOf,
    page: showNew,
    form: formSchema,
    input: ({ maxCents = null, count, days, withinDays = null, graceHours }, ctx) => ({
      mode: checkedMode(ctx),
      maxCents,
      perCustomer: count !== undefined && days !== undefined ? { count, days } : null,
      withinDays,
      graceHours,
    }),
    to: ({ _id }) => `/refund-policy/${_id}`,
    said: 'Draft created. It decides nothing until you activate it.',
  });
  routes.page(path, showPolicy);
  routes.operation(`${path}/activate`, activatePolicy, {
    modeOf: ofPolicy,
    on: showPolicy,
    form: seenSchema,
    input: ({ replaces }) => ({ seen: replaces || null }),
    to: path,
    said: (_active, _seen, ctx) => `The policy is in force in ${checkedMode(ctx)}.`,
  });
  routes.operation(`${path}/deactivate`, deactivatePolicy, {
    modeOf: ofPolicy,
    on: showPolicy,
    to: path,
    said: 'The policy is no longer in force.',
  });
}

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

async function showPolicy(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await ownPolicy(ctx, deps);
  const tried = await tryPolicy(deps, ownScope(ctx), found.policy);
  render(ctx, policyPage(ctx, found, tried, filled));
}

export const policyCrumbs = () => [['Refund policy', '/refund-policy']] as const;

const sentenceOf = (ctx: PageContext<'partner'>, policy: RefundPolicy): string =>
  policySentence({ ...policy, currency: ctx.state.viewer.partner.currency });

function policiesPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  versions: readonly PolicyVersion[],
): Page {
  const create = hasPermission(ctx.state.viewer, policyPermissions[mode])
    ? linkButton('/refund-policy/new', `New ${mode} policy`, 'secondary')
    : nothing;
  return page(
    {
      title: 'Refund policy',
      lead: 'Which refunds of claimed rewards are upheld without an operator. Without a policy in force, operators decide all of them. A policy takes back only what the customer still has, and dismisses nothing.',
      actions: versions.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: `${mode} policies`,
      columns: {
        Policy: ({ policy }: PolicyVersion) =>
          html`<a href="/refund-policy/${policy.policyId}">${sentenceOf(ctx, policy)}</a>`,
        State: ({ state }) => badge(state),
        Created: ({ createdAt }) => day(createdAt),
      },
      rows: versions,
      empty: emptyState(
        `No ${mode} policy yet`,
        'Operators decide each refund of a claimed reward.',
        create,
      ),
    })}</section>`,
  );
}

function newPolicyPage(ctx: PageContext<'partner'>, mode: Mode, filled: Filled): Page {
  const { currency } = ctx.state.viewer.partner;
  return page(
    {
      title: `New ${mode} policy`,
      crumbs: policyCrumbs(),
      mode,
      lead: 'It is saved as a draft, and shows what it would have decided before you activate it. That the customer still has all the points is always a condition.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/refund-policy/new', submit: 'Save draft', filled },
      amountField({
        currency,
        filled,
        name: 'maxCents',
        label: 'The points cost at most',
        hint: `In ${currency}. Leave it empty for any.`,
      }),
      numberField({
        reads: 'count',
        filled,
        name: 'count',
        label: 'Refunds of one customer, at most',
        hint: 'In the days below. Leave both empty for any number.',
      }),
      numberField({ reads: 'count', filled, name: 'days', label: 'In how many days' }),
      numberField({
        reads: 'count',
        filled,
        name: 'withinDays',
        label: 'Days since the purchase, at most',
        hint: 'Leave it empty for any.',
      }),
      numberField({
        reads: 'count',
        filled,
        name: 'graceHours',
        label: 'Hours until the points are taken back',
        hint: 'Until then an operator can decide otherwise, and the customer cannot spend them.',
        isRequired: true,
      }),
    )}</div>`,
  );
}

function policyPage(
  ctx: PageContext<'partner'>,
  {
    policy,
    active,
    createdAt,
  }: { policy: RefundPolicy; active: RefundPolicy | null; createdAt: Date },
  tried: PolicyTest,
  filled: Filled,
): Page {
  const { viewer } = ctx.state;
  const { currency } = viewer.partner;
  const { mode, policyId } = policy;
  const isActive = active?.policyId === policyId;
  const path = `/refund-policy/${policyId}`;
  const mayChange = hasPermission(viewer, policyPermissions[mode]);
  return page(
    {
      title: `Policy of ${minuteText(createdAt)}`,
      crumbs: policyCrumbs(),
      mode,
      lead: sentenceOf(ctx, policy),
    },
    section(
      'What it would have decided',
      tried.reviews === 0
        ? notice('info', `Operators have decided no ${mode} refund of a claimed reward yet.`)
        : html`${metrics([
            {
              name: 'Reviews',
              value: numberText(tried.reviews),
              note: 'the newest that operators decided',
            },
            { name: 'Upheld by this policy', value: numberText(tried.upheld) },
            {
              name: 'Operators dismissed',
              value: numberText(tried.otherwise.length),
              note: `of those; with it, customers would have lost ${moneyText(tried.otherwiseCents, currency)} more`,
            },
          ])}${
            tried.otherwise.length === 0
              ? nothing
              : table({
                  caption: 'Refunds that it would have upheld, and operators dismissed',
                  columns: {
                    Order: ({ externalOrderId }) =>
                      html`<a href="/orders?externalOrderId=${encodeURIComponent(externalOrderId)}&amp;mode=${mode}">${externalOrderId}</a>`,
                    Points: { number: ({ asked }) => asked.lost.points },
                    Refunded: ({ asked }) => day(asked.refundedAt),
                  },
                  rows: tried.otherwise,
                })
          }`,
    ),
    section(
      isActive ? 'In force' : 'Not in force',
      definitions([
        [
          'In force now',
          active === null
            ? 'None: operators decide'
            : isActive
              ? 'This one'
              : sentenceOf(ctx, active),
        ],
      ]),
      !mayChange
        ? nothing
        : isActive
          ? confirm(ctx, {
              ask: 'Deactivate …',
              question: `Operators decide all ${mode} refunds of claimed rewards from then on. What was left to the policy before stays so.`,
              action: `${path}/deactivate`,
              submit: 'Deactivate',
              filled,
            })
          : form(
              ctx,
              { action: `${path}/activate`, submit: `Activate in ${mode}`, filled },
              hidden('replaces', active?.policyId ?? ''),
            ),
    ),
  );
}
