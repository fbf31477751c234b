import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { type PartnerRole, partnerRoles } from '../../../domain/partner-roles.ts';
import { findPartner } from '../../../models/commands/find.ts';
import { findUser } from '../../../models/commands/find-user.ts';
import { updatePartner } from '../../../models/commands/update-partner.ts';
import { waitingIn, walletBalances } from '../../../models/ledger/index.ts';
import { findActiveRules } from '../../../models/rules.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { UserDoc } from '../../../models/schemas/user.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { emailField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  emptyState,
  externalLink,
  facts,
  linkButton,
  section,
  table,
} from '../../html/components.ts';
import { confirm, field, form, select } from '../../html/form.ts';
import { day, money, number, time } from '../../html/format.ts';
import { type Html, html, nothing } from '../../html/html.ts';
import { shortKey } from '../../html/key-table.ts';
import { adminPaths, to } from '../../html/links.ts';
import { view } from '../../html/view.ts';
import { lastUseOf } from '../../last-use.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { resetFactor } from '../../reset-factor.ts';
import type { Routes } from '../../route-table.ts';
import { sentenceOfRule } from '../../rule-words.ts';
import { undertake } from '../../undertake.ts';
import { roleChoices, roleHint } from '../team.ts';

/** More keys and integrations than a partner has. */
const maxRows = 100;

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});

/** One partner, with everything that leads on from it. */
export function adminPartnerPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, ledger, config } = deps;
  const ofPartner = {
    path: '/admin/partners/:partnerId',
    params: { partnerId: 'partner' },
    audience: 'operator',
  } as const;

  async function show(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const { viewer } = ctx.state;
    view(
      ctx,
      {
        title: partner.name,
        crumbs: [['Partners', '/admin/partners']],
        lead: html`${badge(partner.status)} ${badge(partner.goLive.state)} ${code(partner._id, { canCopy: true })}`,
        actions: hasPermission(viewer, 'partner.update')
          ? linkButton(
              `${adminPaths.PARTNER}${partner._id}/profile`,
              'Edit the profile',
              'secondary',
            )
          : nothing,
      },
      lists(partner._id),
      html`<div class="grid-2">${[
        profile(partner),
        await funding(ctx, partner),
        goLive(partner),
        await subscription(partner),
      ]}</div>`,
      await keys(ctx, partner._id),
      await rules(partner._id),
      await users(ctx, partner._id, filled),
      hasPermission(viewer, 'partner.update') ? standing(ctx, partner) : nothing,
    );
  }

  async function funding(ctx: PageContext<'operator'>, partner: PartnerDoc): Promise<Html> {
    const { _id: partnerId, currency } = partner;
    const wallet = { mode: 'LIVE', partnerId } as const;
    const [balances, waiting] = await Promise.all([
      walletBalances(ledger, wallet),
      waitingIn(models, wallet),
    ]);
    const { fundingCents, reservedCents, owedCents } = balances;
    return section(
      'LIVE funds',
      facts([
        ['Free', money(fundingCents, currency)],
        ['Reserved for rewards', money(reservedCents, currency)],
        ['Owed to customers', money(owedCents, currency)],
        [
          'Rewards that wait for funds',
          waiting.awaitingRewards === 0
            ? 'none'
            : html`<a href="/admin/rewards?partner=${partnerId}&amp;status=AWAITING_FUNDING">${number(waiting.awaitingRewards)}</a>, ${money(waiting.awaitingCents, currency)} missing`,
        ],
      ]),
      hasPermission(ctx.state.viewer, 'partner.top-up')
        ? html`<p class="after">${linkButton(`${adminPaths.PARTNER}${partnerId}/top-up`, 'Top up', 'secondary')}</p>`
        : nothing,
    );
  }

  async function subscription({ _id: partnerId, currency }: PartnerDoc): Promise<Html> {
    const found = await models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }).lean();
    const plan = found && (await models.planVersions.findById(found.planVersionId).lean());
    return section(
      'Plan',
      found && plan
        ? facts([
            ['Plan', to('PLAN', plan._id, `${plan.name}, version ${plan.version}`)],
            ['Price of the period', money(found.terms.priceCents, currency)],
            ['Period', html`${day(found.currentPeriodStart)} to ${day(found.currentPeriodEnd)}`],
            ['Ends', found.endsAt ? time(found.endsAt) : 'not cancelled'],
          ])
        : html`<p class="muted">No subscription: requests are limited by the profile.</p>`,
      html`<p class="after"><a href="${adminPaths.PARTNER}${partnerId}/subscription">Subscription and invoices</a></p>`,
    );
  }

  async function keys(ctx: PageContext<'operator'>, partnerId: string): Promise<Html> {
    const [integrations, credentials] = await Promise.all([
      models.integrations.find({ partnerId }).sort({ _id: 1 }).limit(maxRows).lean(),
      models.credentials.find({ partnerId }).sort({ _id: -1 }).limit(maxRows).lean(),
    ]);
    const nameOf = new Map(integrations.map(({ _id, name }) => [_id, name]));
    const may = (permission: 'integration.create' | 'credential.create') =>
      hasPermission(ctx.state.viewer, permission);
    const path = adminPaths.PARTNER + partnerId;
    return section(
      'Integrations and keys',
      table({
        caption: 'Integrations',
        columns: [
          { heading: 'Integration', cell: ({ _id, name }) => to('INTEGRATION', _id, name) },
          { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
          { heading: 'Id', cell: ({ _id }) => code(_id, { canCopy: true }) },
        ],
        rows: integrations,
        empty: emptyState('No integration yet', 'One of the partner’s systems that sends events.'),
      }),
      integrations.length === 0
        ? nothing
        : html`<h3>Keys</h3>${table({
            caption: 'Keys',
            columns: [
              {
                heading: 'Key',
                cell: ({ _id, apiKey }) => to('CREDENTIAL', _id, shortKey(apiKey)),
              },
              { heading: 'Mode', cell: ({ mode }) => badge(mode) },
              { heading: 'Integration', cell: (one) => nameOf.get(one.integrationId) },
              {
                heading: 'Last used',
                cell: ({ secrets }) => time(lastUseOf(secrets), 'never'),
              },
              {
                heading: '',
                cell: ({ revokedAt }) => (revokedAt ? badge('REVOKED') : badge('ACTIVE')),
              },
            ],
            rows: credentials,
            empty: emptyState('No key yet', 'A key says who sends, and its secret signs.'),
          })}`,
      html`<p class="actions after">${may('integration.create') ? linkButton(`${path}/integrations/new`, 'New integration', 'secondary') : nothing}${may('credential.create') && integrations.length > 0 ? linkButton(`${path}/credentials/new`, 'New key', 'secondary') : nothing}</p>`,
    );
  }

  async function rules(partnerId: string): Promise<Html> {
    const active = await Promise.all([
      findActiveRules(models, partnerId, 'LIVE'),
      findActiveRules(models, partnerId, 'TEST'),
    ]);
    return section(
      'Active earning rules',
      table({
        caption: 'Active earning rules',
        columns: [
          { heading: 'Mode', cell: ({ mode }) => badge(mode) },
          {
            heading: 'Rule',
            cell: (rule) => to('RULE', rule.ruleId, sentenceOfRule(rule)),
            isText: true,
          },
        ],
        rows: active.flat(),
        empty: emptyState('No active rule', 'Without one, purchases are refused.'),
      }),
    );
  }

  async function users(
    ctx: PageContext<'operator'>,
    partnerId: string,
    filled: Filled,
  ): Promise<Html> {
    const [all, invitations] = await Promise.all([
      models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }).lean(),
      models.invitations.find({ partnerId }).sort({ _id: -1 }).lean(),
    ]);
    return section(
      'Users',
      table({
        caption: 'Users',
        columns: [
          { heading: 'Name', cell: ({ name }) => name },
          { heading: 'Role', cell: ({ role }) => badge(role ?? '') },
          { heading: 'State', cell: ({ state }) => state },
          { heading: '', cell: ({ user }) => (user ? resetPart(ctx, partnerId, user) : nothing) },
        ],
        rows: [
          ...all.map((user) => ({ name: user.name, role: user.role, state: 'signs in', user })),
          ...invitations.map(({ email, role }) => ({
            ...{ name: email, role, state: 'invited', user: null },
          })),
        ],
        empty: emptyState('Nobody yet', 'Invite the first owner, who invites the others.'),
      }),
      hasPermission(ctx.state.viewer, 'partner.invite')
        ? form(
            ctx,
            { action: `${adminPaths.PARTNER}${partnerId}/invite`, submit: 'Invite', filled },
            field({
              ...{ name: 'email', label: 'E-mail', type: 'email', filled, isRequired: true },
              autocomplete: 'off',
            }),
            select({
              ...{ name: 'role', label: 'Role', choices: roleChoices, filled },
              chosen: 'owner',
              hint: config.fourEyes.isOn
                ? `${roleHint} After the first owner, another operator has to approve one more.`
                : roleHint,
            }),
          )
        : nothing,
    );
  }

  /** Owners alone: they do it for the others. */
  function resetPart(ctx: PageContext<'operator'>, partnerId: string, user: UserDoc): Html {
    const { _id, name, role, secondFactor } = user;
    const mayReset = hasPermission(ctx.state.viewer, 'user.reset-second-factor');
    if (!mayReset || role !== 'owner' || !secondFactor) return nothing;
    return confirm(ctx, {
      ...{ ask: 'Reset the second factor …', submit: 'Reset it' },
      action: `${adminPaths.PARTNER}${partnerId}/users/${_id}/second-factor/reset`,
      question: `Make sure that it is ${name} who asks. They are signed out everywhere, get a mail, and set up another one.`,
    });
  }

  routes.page({ ...ofPartner, permission: 'read' }, (ctx) => show(ctx));

  routes.action(
    {
      audience: 'operator',
      path: '/admin/partners/:partnerId/users/:userId/second-factor/reset',
      params: { partnerId: 'partner', userId: 'user' },
      permission: 'user.reset-second-factor',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const partnerId = param(ctx, 'partnerId');
        const user = await findUser(models, partnerId, param(ctx, 'userId'));
        await resetFactor(deps, ctx, { ...user, partnerId });
        redirect(ctx, adminPaths.PARTNER + partnerId, 'The second factor is reset.');
      },
      retry: show,
    },
  );

  routes.action(
    {
      ...ofPartner,
      path: '/admin/partners/:partnerId/invite',
      permission: 'partner.invite',
      secondFactor: true,
    },
    {
      schema: inviteSchema,
      async act(ctx, fields) {
        const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
        await undertake(fourEyes, ctx, 'partner.invite', { partnerId, ...fields }, ({ email }) =>
          redirect(
            ctx,
            adminPaths.PARTNER + partnerId,
            `The invitation to ${email} is on its way.`,
          ),
        );
      },
      retry: show,
    },
  );

  for (const [verb, status, said] of [
    ['suspend', 'SUSPENDED', 'The partner is suspended.'],
    ['resume', 'ACTIVE', 'The partner is active again.'],
  ] as const) {
    routes.action(
      {
        ...ofPartner,
        path: `/admin/partners/:partnerId/${verb}`,
        permission: 'partner.update',
        secondFactor: true,
      },
      {
        schema: Joi.object({}),
        async act(ctx) {
          const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
          await deed(
            deps,
            ctx,
            { action: 'partner.update', targetId: partnerId, partnerId, details: { status } },
            () => updatePartner(deps, partnerId, { status }),
          );
          redirect(ctx, adminPaths.PARTNER + partnerId, said);
        },
      },
    );
  }
}

/** What is known of a partner elsewhere. */
function lists(partnerId: string): Html {
  const links = [
    ['Requests', `/admin/requests?partner=${partnerId}`],
    ['Rewards', `/admin/rewards?partner=${partnerId}`],
    ['Reviews', `/admin/reviews?partner=${partnerId}`],
    ['Ledger', `/admin/ledger?partner=${partnerId}`],
    ['Approvals', `/admin/approvals?partner=${partnerId}`],
    ['Audit trail', `/admin/audit?partner=${partnerId}`],
    ['Find a customer', `${adminPaths.PARTNER}${partnerId}/find-customer`],
  ] as const;
  return html`<nav class="tabs" aria-label="Of this partner"><ul>${links.map(
    ([text, path]) => html`<li class="tab"><a class="tab-link" href="${path}">${text}</a></li>`,
  )}</ul></nav>`;
}

function profile(partner: PartnerDoc): Html {
  return section(
    'Profile',
    facts([
      ['Legal name', partner.legalName ?? '–'],
      ['Website', partner.website === null ? '–' : externalLink(partner.website)],
      ['Contact', partner.contactEmail ?? '–'],
      ['Support', partner.supportEmail ?? '–'],
      ['Country', partner.country],
      ['Currency', partner.currency],
      ['Low funds are told below', money(partner.lowBalanceThresholdCents, partner.currency)],
      ['Since', day(partner.createdAt)],
    ]),
  );
}

function goLive({ _id, goLive: { state, requestedAt, decidedAt, reason } }: PartnerDoc): Html {
  return section(
    'Go-live',
    facts([
      ['State', badge(state)],
      ['Requested', time(requestedAt)],
      ['Decided', time(decidedAt)],
      ['Notes for the partner', reason ?? '–'],
    ]),
    html`<p class="after"><a href="${adminPaths.PARTNER}${_id}/go-live">Checklist and evidence</a></p>`,
  );
}

function standing(ctx: PageContext<'operator'>, { _id, name, status }: PartnerDoc): Html {
  const path = adminPaths.PARTNER + _id;
  return status === 'ACTIVE'
    ? section(
        'Suspend',
        confirm(ctx, {
          ...{ ask: 'Suspend …', action: `${path}/suspend`, submit: 'Suspend' },
          question: `Within seconds ${name} sends no purchases, and its customers neither claim nor spend. Refunds are still taken, and time to claim runs on.`,
        }),
      )
    : section(
        'Resume',
        confirm(ctx, {
          ...{ ask: 'Make active again …', action: `${path}/resume`, submit: 'Make active' },
          ...{
            isDangerous: false,
            question: `${name} sends purchases again, and its customers claim and spend.`,
          },
        }),
      );
}

/** Enough of a key to tell it from others. */
