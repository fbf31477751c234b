import Joi from 'joi';
import { termsOf } from '../../domain/billing.ts';
import { verifiedContact } from '../../domain/customer.ts';
import { modeOfPartner } from '../../domain/go-live.ts';
import { keyState, type PartnerRole, partnerRoles } from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { invitePartner, updatePartner } from '../../operations/partners.ts';
import { resetUserFactor } from '../../operations/users.ts';
import {
  claimRateDays,
  type PartnerHealth,
  type PartnerOverview,
  readPartnerHealth,
  readPartnerOverview,
} from '../../views/partners.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  externalLink,
  linkButton,
  metrics,
  section,
  table,
} from '../components/components.ts';
import { confirm, field, form, select } from '../components/form.ts';
import {
  day,
  type Html,
  html,
  lastUseOf,
  money,
  nothing,
  number,
  numberText,
  type Part,
  time,
} from '../components/format.ts';
import { fundingMetric } from '../components/funding-metric.ts';
import { operatorPaths, to } from '../components/links.ts';
import { queueWords } from '../components/queue.ts';
import { keyExpiry, shortKey } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emailField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { defaultModeOf } from '../routing/modes.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { meaningOf } from '../words/log-words.ts';
import { sentenceOfRule } from '../words/rule-words.ts';
import { countryOf, roleChoices, roleHint } from '../words/words.ts';

function goLive({ _id, goLive: { state, requestedAt, decidedAt, reason } }: PartnerDoc): Html {
  return section(
    'Go-live',
    definitions([
      ['State', badge(state)],
      ['Requested', time(requestedAt)],
      ['Decided', time(decidedAt)],
      ['Notes for the partner', reason ?? '–'],
    ]),
    html`<p class="after"><a href="${operatorPaths.PARTNER}${_id}/go-live">Checklist and evidence</a></p>`,
  );
}

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});

const ofPartner = '/admin/partners/:partnerId';

/** A partner's page, which links to everything about it. */
export function operatorPartnerPages(routes: RoutesOf<'operator'>): void {
  routes.page(ofPartner, showPartner);
  routes.operation(`${ofPartner}/users/:userId/second-factor/reset`, resetUserFactor, {
    on: showPartner,
    to: ofPartner,
    said: 'Second factor reset.',
  });
  routes.operation(`${ofPartner}/invite`, invitePartner, {
    on: showPartner,
    form: inviteSchema,
    to: ofPartner,
    said: ({ email }) => `The invitation to ${email} is on its way.`,
  });
  routes.operation(`${ofPartner}/suspend`, updatePartner, {
    input: { status: 'SUSPENDED' },
    to: ofPartner,
    said: 'Partner suspended.',
  });
  routes.operation(`${ofPartner}/resume`, updatePartner, {
    input: { status: 'ACTIVE' },
    to: ofPartner,
    said: 'The partner is active again.',
  });
}

async function showPartner(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const overview = await readPartnerOverview(deps, param(ctx, 'partnerId'));
  const { partner } = overview;
  const health = await readPartnerHealth(deps, partner, defaultModeOf(partner));
  const needsApproval = deps.config.approvals.isOn;
  render(ctx, partnerPage(ctx, overview, { health, needsApproval, nowMs: deps.now(), filled }));
}

/** @param needsApproval whether inviting an owner, and resuming, need a second operator */
function partnerPage(
  ctx: PageContext<'operator'>,
  overview: PartnerOverview,
  {
    health,
    needsApproval,
    nowMs,
    filled,
  }: { health: PartnerHealth; needsApproval: boolean; nowMs: number; filled: Filled },
): Page {
  const { partner } = overview;
  const { viewer } = ctx.state;
  return page(
    {
      title: partner.name,
      crumbs: [['Partners', '/admin/partners']],
      lead: html`${badge(partner.status)} ${badge(partner.goLive.state)} ${code(partner._id, { canCopy: true })}`,
      actions: html`${hasPermission(viewer, 'partner.view-as') ? linkButton(`${operatorPaths.PARTNER}${partner._id}/view`, 'View as partner', 'secondary') : nothing}${
        hasPermission(viewer, 'partner.update')
          ? linkButton(
              `${operatorPaths.PARTNER}${partner._id}/profile`,
              'Edit profile',
              'secondary',
            )
          : nothing
      }`,
    },
    lists(partner._id),
    healthSection(partner, health),
    html`<div class="grid-2">${[
      profile(partner),
      fundingSection(ctx, overview),
      goLive(partner),
      planSection(overview),
    ]}</div>`,
    keysSection(ctx, overview, nowMs),
    rulesSection(overview),
    usersSection(ctx, overview, { needsApproval, filled }),
    hasPermission(viewer, 'partner.update')
      ? suspensionSection(ctx, partner, needsApproval)
      : nothing,
  );
}

/** The partner's health, shown first. */
function healthSection({ _id, currency }: PartnerDoc, health: PartnerHealth): Html {
  const { mode, refusals, rewards, claimed, endpoints, funding } = health;
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const [commonest] = refusals;
  const failing = endpoints.filter(({ failingSince }) => failingSince !== null).length;
  const off = endpoints.filter(({ status }) => status === 'PAUSED' || status === 'DISABLED').length;
  return section(
    `Health in ${mode}`,
    metrics([
      {
        name: 'Refused since yesterday',
        value: numberText(refused),
        note: commonest ? `Most often: ${meaningOf(commonest.code)}` : 'No request was refused',
        href: `/admin/requests?partner=${_id}&mode=${mode}`,
      },
      {
        name: 'Claim rate',
        value: rewards === 0 ? '–' : `${Math.round((100 * claimed) / rewards)}%`,
        note: `${rewards === 0 ? 'No rewards' : rewards === 1 ? `of ${numberText(rewards)} reward` : `of ${numberText(rewards)} rewards`} in the last ${claimRateDays} days`,
        href: `/admin/rewards?partner=${_id}&mode=${mode}`,
      },
      {
        name: 'Webhooks',
        value:
          failing > 0
            ? `${numberText(failing)} failing`
            : off > 0
              ? `${numberText(off)} switched off`
              : endpoints.length > 0
                ? 'OK'
                : '–',
        note:
          endpoints.length === 0
            ? 'No endpoint'
            : endpoints.length === 1
              ? `${numberText(endpoints.length)} endpoint`
              : `${numberText(endpoints.length)} endpoints`,
      },
      fundingMetric(funding, currency),
    ]),
  );
}

function fundingSection(ctx: PageContext<'operator'>, { partner, wallet }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  const { fundingCents, reservedCents, owedCents } = wallet;
  const path = operatorPaths.PARTNER + partnerId;
  return section(
    'LIVE funds',
    definitions([
      ['Available', money(fundingCents, currency)],
      ['Reserved for rewards', money(reservedCents, currency)],
      ['Owed to customers', money(owedCents, currency)],
      [
        'Rewards waiting for funds',
        wallet.awaitingRewards === 0
          ? 'none'
          : html`<a href="/admin/rewards?partner=${partnerId}&status=AWAITING_FUNDING">${number(wallet.awaitingRewards)}</a>, ${money(wallet.missingCents, currency)} missing for all of them.${wallet.queue === null ? nothing : queueWords(wallet.queue, { currency, pathOf: (id) => operatorPaths.REWARD + id })}`,
      ],
    ]),
    html`<div class="answers">${[
      hasPermission(ctx.state.viewer, 'partner.top-up')
        ? linkButton(`${path}/top-up`, 'Top up', 'secondary')
        : nothing,
      hasPermission(ctx.state.viewer, 'partner.withdraw')
        ? linkButton(`${path}/withdraw`, 'Pay back', 'secondary')
        : nothing,
      linkButton(`${path}/statement`, 'Statement', 'secondary'),
      linkButton(`${path}/test-funding`, 'Test funding', 'secondary'),
    ]}</div>`,
  );
}

function planSection({ partner, subscription, plan }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  return section(
    'Plan',
    subscription && plan
      ? definitions([
          ['Plan', to('PLAN', plan._id, `${plan.name}, version ${plan.version}`)],
          ['Price per period', money(termsOf(plan, subscription.interval).priceCents, currency)],
          [
            'Period',
            html`${day(subscription.currentPeriodStart)} to ${day(subscription.currentPeriodEnd)}`,
          ],
          ['Ends', subscription.endsAt ? time(subscription.endsAt) : 'not cancelled'],
        ])
      : html`<p class="muted">No subscription: the profile’s rate limit applies.</p>`,
    html`<p class="after"><a href="${operatorPaths.PARTNER}${partnerId}/subscription">Subscription and invoices</a></p>`,
  );
}

function keysSection(
  ctx: PageContext<'operator'>,
  { partner, integrations, keys }: PartnerOverview,
  nowMs: number,
): Html {
  const nameOf = new Map(integrations.map(({ _id, name }) => [_id, name]));
  const may = (permission: 'integration.create' | 'credential.create') =>
    hasPermission(ctx.state.viewer, permission);
  const path = operatorPaths.PARTNER + partner._id;
  return section(
    'Integrations and keys',
    table({
      caption: 'Integrations',
      columns: {
        Integration: ({ _id, name }) => to('INTEGRATION', _id, name),
        Since: ({ createdAt }) => day(createdAt),
        ID: ({ _id }) => code(_id, { canCopy: true }),
      },
      rows: integrations,
      empty: emptyState(
        'No integration yet',
        'An integration is one of the partner’s systems that sends events.',
      ),
    }),
    integrations.length === 0
      ? nothing
      : html`<h3>Keys</h3>${table({
          caption: 'Keys',
          columns: {
            Key: ({ _id, apiKey }) => to('CREDENTIAL', _id, shortKey(apiKey)),
            Mode: ({ mode }) => badge(mode),
            Integration: (one) => nameOf.get(one.integrationId),
            'Last used': ({ secrets }) => time(lastUseOf(secrets), 'never'),
            Expires: keyExpiry,
            '': (key) => badge(keyState(key, nowMs)),
          },
          rows: keys,
          empty: emptyState(
            'No key yet',
            'A key identifies the sender, and its secret signs requests.',
          ),
        })}`,
    html`<p class="actions after">${may('integration.create') ? linkButton(`${path}/integrations/new`, 'New integration', 'secondary') : nothing}${may('credential.create') && integrations.length > 0 ? linkButton(`${path}/credentials/new`, 'New key', 'secondary') : nothing}</p>`,
  );
}

function rulesSection({ activeRules }: PartnerOverview): Html {
  return section(
    'Active earning rules',
    table({
      caption: 'Active earning rules',
      columns: {
        Mode: ({ mode }) => badge(mode),
        Rule: { text: (rule) => to('RULE', rule.ruleId, sentenceOfRule(rule)) },
      },
      rows: activeRules,
      empty: emptyState('No active rules', 'Without one, purchases are refused.'),
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
      columns: {
        Name: ({ name }) => name,
        Role: ({ role }) => badge(role ?? ''),
        State: ({ state }) => state,
        '': ({ user }) =>
          user ? resetPart(ctx, user, needsApproval && modeOfPartner(partner) === 'LIVE') : nothing,
      },
      rows: [
        ...users.map((user) => ({
          name: user.name,
          role: user.role,
          state: 'active',
          user,
        })),
        ...invitations.map(({ email, role }) => ({
          name: email,
          role,
          state: 'invited',
          user: null,
        })),
      ],
      empty: emptyState(
        'No users yet',
        'Invite the first owner, who can invite the rest of the team.',
      ),
    }),
    hasPermission(ctx.state.viewer, 'partner.invite')
      ? inviteForm(ctx, partnerId, { needsApproval, filled })
      : nothing,
  );
}

function inviteForm(
  ctx: PageContext<'operator'>,
  partnerId: string,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Html {
  return form(
    ctx,
    {
      action: `${operatorPaths.PARTNER}${partnerId}/invite`,
      submit: 'Invite',
      filled,
    },
    field({
      name: 'email',
      label: 'Email',
      type: 'email',
      filled,
      isRequired: true,
      autocomplete: 'off',
      hint: 'An address can be on one team only.',
    }),
    select({
      name: 'role',
      label: 'Role',
      choices: roleChoices,
      filled,
      chosen: 'owner',
      hint: needsApproval
        ? `${roleHint()} An owner, and anybody who joins a LIVE partner, needs the approval of another operator.`
        : roleHint(),
    }),
  );
}

/** Only for owners; they reset it for the rest of the team. */
function resetPart(ctx: PageContext<'operator'>, user: UserDoc, isForTwo: boolean): Html {
  const { _id, partnerId, name, role, secondFactor } = user;
  const another = isForTwo ? ' Another operator has to approve it.' : '';
  const mayReset = hasPermission(ctx.state.viewer, 'user.reset-second-factor');
  if (!mayReset || role !== 'owner' || !secondFactor) return nothing;
  return confirm(ctx, {
    ask: 'Reset second factor …',
    submit: 'Reset second factor',
    action: `${operatorPaths.PARTNER}${partnerId}/users/${_id}/second-factor/reset`,
    question: `Make sure that the request really comes from ${name}. They are signed out everywhere, their tokens end, and they are notified by email. Then they set up a new second factor.${another}`,
  });
}

/** Links to lists filtered by this partner. */
function lists(partnerId: string): Html {
  const links = [
    ['Request log', `/admin/requests?partner=${partnerId}`],
    ['Orders', `/admin/rewards?partner=${partnerId}`],
    ['Reviews', `/admin/reviews?partner=${partnerId}`],
    ['Ledger', `/admin/ledger?partner=${partnerId}`],
    ['Approvals', `/admin/approvals?partner=${partnerId}`],
    ['Audit log', `/admin/audit?partner=${partnerId}`],
    ['Find a customer', `${operatorPaths.PARTNER}${partnerId}/find-customer`],
  ] as const;
  return html`<nav class="tabs" aria-label="Of this partner"><ul>${links.map(
    ([text, path]) => html`<li class="tab"><a class="tab-link" href="${path}">${text}</a></li>`,
  )}</ul></nav>`;
}

/** Marks an unverified address, which gets no email. */
function contactOf(partner: PartnerDoc): Part {
  if (partner.contactEmail === null) return '–';
  const isVerified = verifiedContact(partner) !== null;
  return isVerified ? partner.contactEmail : `${partner.contactEmail} (not verified)`;
}

function profile(partner: PartnerDoc): Html {
  return section(
    'Profile',
    definitions([
      ['Legal name', partner.legalName ?? '–'],
      ['Website', partner.website === null ? '–' : externalLink(partner.website)],
      ['Contact', contactOf(partner)],
      ['Support', partner.supportEmail ?? '–'],
      ['Country', countryOf(partner)],
      ['Billing address', partner.billingAddress?.split('\n').join(', ') ?? '–'],
      ['Tax number', partner.taxId ?? '–'],
      ['Currency', partner.currency],
      ['Low-balance threshold', money(partner.lowBalanceThresholdCents, partner.currency)],
      ['Since', day(partner.createdAt)],
    ]),
  );
}

function suspensionSection(
  ctx: PageContext<'operator'>,
  { _id, name, status }: PartnerDoc,
  needsApproval: boolean,
): Html {
  const path = operatorPaths.PARTNER + _id;
  return status === 'ACTIVE'
    ? section(
        'Suspend',
        confirm(ctx, {
          ask: 'Suspend …',
          action: `${path}/suspend`,
          submit: 'Suspend',
          question: `Within seconds ${name} can no longer send purchases, and its customers can neither claim nor spend. Refunds are still accepted, and claim windows keep running.`,
        }),
      )
    : section(
        'Resume',
        confirm(ctx, {
          ask: 'Resume …',
          action: `${path}/resume`,
          submit: 'Resume',
          isDangerous: false,
          question: `${name} can send purchases again, and its customers can claim and spend.${needsApproval ? ' This needs the approval of another operator.' : ''}`,
        }),
      );
}
