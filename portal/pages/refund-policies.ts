import type { Mode } from '../../domain/mode.ts';
import type { PolicyTest, RefundPolicy } from '../../domain/refund-policy.ts';
import type { PolicyVersion } from '../../models/rewards/refund-policies.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { amountField, confirm, form, hidden, numberField } from '../components/form.ts';
import { day, html, moneyText, nothing, numberText } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { policyPermissions } from '../routing/modes.ts';
import { policySentence } from '../words/policy-words.ts';

export const policyCrumbs = () => [['Refund policy', '/refund-policy']] as const;

const sentenceOf = (ctx: PageContext<'partner'>, policy: RefundPolicy): string =>
  policySentence({ ...policy, currency: ctx.state.viewer.partner.currency });

export function policiesPage(
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

export function newPolicyPage(ctx: PageContext<'partner'>, mode: Mode, filled: Filled): Page {
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

export function policyPage(
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
      title: `Policy of ${day(createdAt)}`,
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
      facts([
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
