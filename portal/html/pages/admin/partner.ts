import { verifiedContact } from '../../../../domain/partner-contact.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { UserDoc } from '../../../../models/schemas/user.ts';
import type { PartnerOverview } from '../../../../models/views/partners.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { countryName } from '../../../words/country-words.ts';
import { roleChoices, roleHint } from '../../../words/role-words.ts';
import { sentenceOfRule } from '../../../words/rule-words.ts';
import {
  badge,
  code,
  emptyState,
  externalLink,
  facts,
  linkButton,
  section,
  table,
} from '../../components.ts';
import { confirm, field, form, select } from '../../form.ts';
import { day, money, number, time } from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { shortKey } from '../../key-table.ts';
import { lastUseOf } from '../../last-use.ts';
import { adminPaths, to } from '../../links.ts';
import { type Page, page } from '../../view.ts';

/** @param needsApproval whether an owner takes a second operator */
export function partnerPage(
  ctx: PageContext<'operator'>,
  overview: PartnerOverview,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  const { partner } = overview;
  const { viewer } = ctx.state;
  return page(
    {
      title: partner.name,
      crumbs: [['Partners', '/admin/partners']],
      lead: html`${badge(partner.status)} ${badge(partner.goLive.state)} ${code(partner._id, { canCopy: true })}`,
      actions: html`${hasPermission(viewer, 'partner.view-as') ? linkButton(`${adminPaths.PARTNER}${partner._id}/view`, 'View as their viewer', 'secondary') : nothing}${
        hasPermission(viewer, 'partner.update')
          ? linkButton(
              `${adminPaths.PARTNER}${partner._id}/profile`,
              'Edit the profile',
              'secondary',
            )
          : nothing
      }`,
    },
    lists(partner._id),
    html`<div class="grid-2">${[
      profile(partner),
      fundingSection(ctx, overview),
      goLive(partner),
      planSection(overview),
    ]}</div>`,
    keysSection(ctx, overview),
    rulesSection(overview),
    usersSection(ctx, overview, { needsApproval, filled }),
    hasPermission(viewer, 'partner.update') ? suspensionSection(ctx, partner) : nothing,
  );
}

function fundingSection(ctx: PageContext<'operator'>, { partner, wallet }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  const { fundingCents, reservedCents, owedCents } = wallet;
  return section(
    'LIVE funds',
    facts([
      ['Free', money(fundingCents, currency)],
      ['Reserved for rewards', money(reservedCents, currency)],
      ['Owed to customers', money(owedCents, currency)],
      [
        'Rewards that wait for funds',
        wallet.awaitingRewards === 0
          ? 'none'
          : html`<a href="/admin/rewards?partner=${partnerId}&amp;status=AWAITING_FUNDING">${number(wallet.awaitingRewards)}</a>, ${money(wallet.awaitingCents, currency)} missing`,
      ],
    ]),
    hasPermission(ctx.state.viewer, 'partner.top-up')
      ? html`<p class="after">${linkButton(`${adminPaths.PARTNER}${partnerId}/top-up`, 'Top up', 'secondary')}</p>`
      : nothing,
  );
}

function planSection({ partner, subscription, plan }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  return section(
    'Plan',
    subscription && plan
      ? facts([
          ['Plan', to('PLAN', plan._id, `${plan.name}, version ${plan.version}`)],
          ['Price of the period', money(subscription.terms.priceCents, currency)],
          [
            'Period',
            html`${day(subscription.currentPeriodStart)} to ${day(subscription.currentPeriodEnd)}`,
          ],
          ['Ends', subscription.endsAt ? time(subscription.endsAt) : 'not cancelled'],
        ])
      : html`<p class="muted">No subscription: the profile’s rate limit applies.</p>`,
    html`<p class="after"><a href="${adminPaths.PARTNER}${partnerId}/subscription">Subscription and invoices</a></p>`,
  );
}

function keysSection(
  ctx: PageContext<'operator'>,
  { partner, integrations, keys }: PartnerOverview,
): Html {
  const nameOf = new Map(integrations.map(({ _id, name }) => [_id, name]));
  const may = (permission: 'integration.create' | 'credential.create') =>
    hasPermission(ctx.state.viewer, permission);
  const path = adminPaths.PARTNER + partner._id;
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
          rows: keys,
          empty: emptyState('No key yet', 'A key says who sends, and its secret signs.'),
        })}`,
    html`<p class="actions after">${may('integration.create') ? linkButton(`${path}/integrations/new`, 'New integration', 'secondary') : nothing}${may('credential.create') && integrations.length > 0 ? linkButton(`${path}/credentials/new`, 'New key', 'secondary') : nothing}</p>`,
  );
}

function rulesSection({ activeRules }: PartnerOverview): Html {
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
      rows: activeRules,
      empty: emptyState('No active rule', 'Without one, purchases are refused.'),
    }),
  );
}

function usersSection(
  ctx: PageContext<'operator'>,
  { partner, users, invitations }: PartnerOverview,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Html {
  const { _id: partnerId } = partner;
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
        ...users.map((user) => ({ name: user.name, role: user.role, state: 'signs in', user })),
        ...invitations.map(({ email, role }) => ({
          ...{ name: email, role, state: 'invited', user: null },
        })),
      ],
      empty: emptyState(
        'No users yet',
        'Invite the first owner, who can invite the rest of the team.',
      ),
    }),
    hasPermission(ctx.state.viewer, 'partner.invite')
      ? form(
          ctx,
          { action: `${adminPaths.PARTNER}${partnerId}/invite`, submit: 'Invite', filled },
          field({
            ...{ name: 'email', label: 'Email', type: 'email', filled, isRequired: true },
            autocomplete: 'off',
          }),
          select({
            ...{ name: 'role', label: 'Role', choices: roleChoices, filled },
            chosen: 'owner',
            hint: needsApproval
              ? `${roleHint} An owner needs the approval of another operator.`
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
    question: `Make sure that it is ${name} who asks. They are signed out everywhere, notified by email, and set up a new one.`,
  });
}

/** What is known of a partner elsewhere. */
function lists(partnerId: string): Html {
  const links = [
    ['Requests', `/admin/requests?partner=${partnerId}`],
    ['Rewards', `/admin/rewards?partner=${partnerId}`],
    ['Reviews', `/admin/reviews?partner=${partnerId}`],
    ['Ledger', `/admin/ledger?partner=${partnerId}`],
    ['Approvals', `/admin/approvals?partner=${partnerId}`],
    ['Audit log', `/admin/audit?partner=${partnerId}`],
    ['Find a customer', `${adminPaths.PARTNER}${partnerId}/find-customer`],
  ] as const;
  return html`<nav class="tabs" aria-label="Of this partner"><ul>${links.map(
    ([text, path]) => html`<li class="tab"><a class="tab-link" href="${path}">${text}</a></li>`,
  )}</ul></nav>`;
}

/** An address that nobody has shown to read is sent nothing. */
function contactOf(partner: PartnerDoc): Part {
  if (partner.contactEmail === null) return '–';
  const isVerified = verifiedContact(partner) !== null;
  return isVerified ? partner.contactEmail : html`${partner.contactEmail} (not verified)`;
}

function profile(partner: PartnerDoc): Html {
  return section(
    'Profile',
    facts([
      ['Legal name', partner.legalName ?? '–'],
      ['Website', partner.website === null ? '–' : externalLink(partner.website)],
      ['Contact', contactOf(partner)],
      ['Support', partner.supportEmail ?? '–'],
      ['Country', countryName(partner.country)],
      ['Billing address', partner.billingAddress?.split('\n').join(', ') ?? '–'],
      ['Tax number', partner.taxId ?? '–'],
      ['Currency', partner.currency],
      ['Low-balance alert threshold', money(partner.lowBalanceThresholdCents, partner.currency)],
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

function suspensionSection(ctx: PageContext<'operator'>, { _id, name, status }: PartnerDoc): Html {
  const path = adminPaths.PARTNER + _id;
  return status === 'ACTIVE'
    ? section(
        'Suspend',
        confirm(ctx, {
          ...{ ask: 'Suspend …', action: `${path}/suspend`, submit: 'Suspend' },
          question: `Within seconds ${name} can no longer send purchases, and its customers can neither claim nor spend. Refunds are still accepted, and claim windows keep running.`,
        }),
      )
    : section(
        'Resume',
        confirm(ctx, {
          ...{ ask: 'Make active again …', action: `${path}/resume`, submit: 'Make active' },
          ...{
            isDangerous: false,
            question: `${name} can send purchases again, and its customers can claim and spend.`,
          },
        }),
      );
}
