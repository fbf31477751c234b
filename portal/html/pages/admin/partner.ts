import { verifiedContact } from '../../../../domain/partner-contact.ts';
import { termsOf } from '../../../../domain/plan-arithmetic.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { UserDoc } from '../../../../models/schemas/user.ts';
import { claimRateDays, type PartnerHealth } from '../../../../models/views/partner-health.ts';
import type { PartnerOverview } from '../../../../models/views/partners.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { countryName } from '../../../words/country-words.ts';
import { roleChoices, roleHint } from '../../../words/role-words.ts';
import { sentenceOfRule } from '../../../words/rule-words.ts';
import { say } from '../../../words/say.ts';
import { tags } from '../../../words/tags.ts';
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
import { day, money, number, numberText, time } from '../../format.ts';
import { fundingMetric } from '../../funding-metric.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { shortKey } from '../../key-table.ts';
import { lastUseOf } from '../../last-use.ts';
import { operatorPaths, to } from '../../links.ts';
import { metrics } from '../../metrics.ts';
import { type Page, page } from '../../view.ts';

/** @param needsApproval whether inviting an owner needs a second operator */
export function partnerPage(
  ctx: PageContext<'operator'>,
  overview: PartnerOverview,
  {
    health,
    needsApproval,
    filled,
  }: { health: PartnerHealth; needsApproval: boolean; filled: Filled },
): Page {
  const { partner } = overview;
  const { viewer } = ctx.state;
  return page(
    {
      title: partner.name,
      crumbs: [[say('admin.partner.partners'), '/admin/partners']],
      lead: html`${badge(partner.status)} ${badge(partner.goLive.state)} ${code(partner._id, { canCopy: true })}`,
      actions: html`${hasPermission(viewer, 'partner.view-as') ? linkButton(`${operatorPaths.PARTNER}${partner._id}/view`, say('admin.partner.button'), 'secondary') : nothing}${
        hasPermission(viewer, 'partner.update')
          ? linkButton(
              `${operatorPaths.PARTNER}${partner._id}/profile`,
              say('admin.partner.editTheProfile'),
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
    keysSection(ctx, overview),
    rulesSection(overview),
    usersSection(ctx, overview, { needsApproval, filled }),
    hasPermission(viewer, 'partner.update') ? suspensionSection(ctx, partner) : nothing,
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
    say('admin.partner.section.health', { mode }),
    metrics([
      {
        name: say('admin.partner.refused'),
        value: numberText(refused),
        note: commonest
          ? say('admin.partner.refused.note', { code: commonest.code })
          : say('admin.partner.refused.none'),
        href: `/admin/requests?partner=${_id}&mode=${mode}`,
      },
      {
        name: say('month.claimRate'),
        value: rewards === 0 ? '–' : `${Math.round((100 * claimed) / rewards)}%`,
        note: say('admin.partner.claimRate.note', { rewards, days: claimRateDays }),
        href: `/admin/rewards?partner=${_id}&mode=${mode}`,
      },
      {
        name: say('nav.webhooks'),
        value:
          failing > 0
            ? say('admin.partner.webhooks.failing', { failing })
            : off > 0
              ? say('admin.partner.webhooks.off', { off })
              : endpoints.length > 0
                ? say('admin.partner.webhooks.ok')
                : '–',
        note: say('admin.partner.webhooks.note', { endpoints: endpoints.length }),
      },
      fundingMetric(funding, currency),
    ]),
  );
}

function fundingSection(ctx: PageContext<'operator'>, { partner, wallet }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  const { fundingCents, reservedCents, owedCents } = wallet;
  return section(
    say('admin.partner.section.liveFunds'),
    facts([
      [say('common.free'), money(fundingCents, currency)],
      [say('admin.partner.reservedForRewards'), money(reservedCents, currency)],
      [say('admin.partner.owedToCustomers'), money(owedCents, currency)],
      [
        say('admin.partner.rewardsWaitFunds'),
        wallet.awaitingRewards === 0
          ? say('admin.partner.none')
          : say('admin.partner.missing', {
              link: tags.link(`/admin/rewards?partner=${partnerId}&status=AWAITING_FUNDING`),
              awaitingRewards: number(wallet.awaitingRewards),
              awaiting: money(wallet.awaitingCents, currency),
            }),
      ],
    ]),
    hasPermission(ctx.state.viewer, 'partner.top-up')
      ? html`<p class="after">${linkButton(`${operatorPaths.PARTNER}${partnerId}/top-up`, say('admin.partner.topUp'), 'secondary')}</p>`
      : nothing,
  );
}

function planSection({ partner, subscription, plan }: PartnerOverview): Html {
  const { _id: partnerId, currency } = partner;
  return section(
    say('admin.partner.section.plan'),
    subscription && plan
      ? facts([
          [
            say('common.plan'),
            to(
              'PLAN',
              plan._id,
              say('admin.partner.version', { name: plan.name, version: plan.version }),
            ),
          ],
          [
            say('admin.partner.pricePeriod'),
            money(termsOf(plan, subscription.interval).priceCents, currency),
          ],
          [
            say('common.period'),
            say('admin.partner.to', {
              currentPeriodStart: day(subscription.currentPeriodStart),
              currentPeriodEnd: day(subscription.currentPeriodEnd),
            }),
          ],
          [
            say('common.ends'),
            subscription.endsAt ? time(subscription.endsAt) : say('admin.partner.notCancelled'),
          ],
        ])
      : html`<p class="muted">${say('admin.partner.plan.text')}</p>`,
    html`<p class="after"><a href="${operatorPaths.PARTNER}${partnerId}/subscription">${say('admin.partner.subscriptionAndInvoices')}</a></p>`,
  );
}

function keysSection(
  ctx: PageContext<'operator'>,
  { partner, integrations, keys }: PartnerOverview,
): Html {
  const nameOf = new Map(integrations.map(({ _id, name }) => [_id, name]));
  const may = (permission: 'integration.create' | 'credential.create') =>
    hasPermission(ctx.state.viewer, permission);
  const path = operatorPaths.PARTNER + partner._id;
  return section(
    say('admin.partner.section.integrationsAndKeys'),
    table({
      caption: say('admin.partner.keys.caption'),
      columns: [
        {
          heading: say('common.integration'),
          cell: ({ _id, name }) => to('INTEGRATION', _id, name),
        },
        { heading: say('common.since'), cell: ({ createdAt }) => day(createdAt) },
        { heading: say('common.id'), cell: ({ _id }) => code(_id, { canCopy: true }) },
      ],
      rows: integrations,
      empty: emptyState(
        say('admin.partner.keys.empty.title'),
        say('admin.partner.keys.empty.text'),
      ),
    }),
    integrations.length === 0
      ? nothing
      : html`<h3>${say('admin.partner.keys')}</h3>${table({
          caption: say('admin.partner.keys.caption.keys'),
          columns: [
            {
              heading: say('common.key'),
              cell: ({ _id, apiKey }) => to('CREDENTIAL', _id, shortKey(apiKey)),
            },
            { heading: say('common.mode'), cell: ({ mode }) => badge(mode) },
            { heading: say('common.integration'), cell: (one) => nameOf.get(one.integrationId) },
            {
              heading: say('common.lastUsed'),
              cell: ({ secrets }) => time(lastUseOf(secrets), say('admin.partner.never')),
            },
            {
              heading: '',
              cell: ({ revokedAt }) => (revokedAt ? badge('REVOKED') : badge('ACTIVE')),
            },
          ],
          rows: keys,
          empty: emptyState(
            say('admin.partner.keys.empty.title.keyYet'),
            say('admin.partner.keys.empty.text.keySays'),
          ),
        })}`,
    html`<p class="actions after">${may('integration.create') ? linkButton(`${path}/integrations/new`, say('admin.partner.newIntegration'), 'secondary') : nothing}${may('credential.create') && integrations.length > 0 ? linkButton(`${path}/credentials/new`, say('admin.partner.newKey'), 'secondary') : nothing}</p>`,
  );
}

function rulesSection({ activeRules }: PartnerOverview): Html {
  return section(
    say('admin.partner.section.activeEarningRules'),
    table({
      caption: say('admin.partner.rules.caption'),
      columns: [
        { heading: say('common.mode'), cell: ({ mode }) => badge(mode) },
        {
          heading: say('admin.partner.rule'),
          cell: (rule) => to('RULE', rule.ruleId, sentenceOfRule(rule)),
          isText: true,
        },
      ],
      rows: activeRules,
      empty: emptyState(
        say('admin.partner.rules.empty.title'),
        say('admin.partner.rules.empty.text'),
      ),
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
    say('admin.partner.section.users'),
    table({
      caption: say('admin.partner.users.caption'),
      columns: [
        { heading: say('common.name'), cell: ({ name }) => name },
        { heading: say('common.role'), cell: ({ role }) => badge(role ?? '') },
        { heading: say('common.state'), cell: ({ state }) => state },
        { heading: '', cell: ({ user }) => (user ? resetPart(ctx, partnerId, user) : nothing) },
      ],
      rows: [
        ...users.map((user) => ({
          name: user.name,
          role: user.role,
          state: say('admin.partner.users'),
          user,
        })),
        ...invitations.map(({ email, role }) => ({
          name: email,
          role,
          state: say('admin.partner.users.users'),
          user: null,
        })),
      ],
      empty: emptyState(
        say('admin.partner.users.empty.title'),
        say('admin.partner.users.empty.text'),
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
      submit: say('admin.partner.users.submit'),
      filled,
    },
    field({
      name: 'email',
      label: say('common.email'),
      type: 'email',
      filled,
      isRequired: true,
      autocomplete: 'off',
    }),
    select({
      name: 'role',
      label: say('common.role'),
      choices: roleChoices,
      filled,
      chosen: 'owner',
      hint: needsApproval ? say('admin.partner.role.hint', { roleHint: roleHint() }) : roleHint(),
    }),
  );
}

/** Only for owners; they reset it for the rest of the team. */
function resetPart(ctx: PageContext<'operator'>, partnerId: string, user: UserDoc): Html {
  const { _id, name, role, secondFactor } = user;
  const mayReset = hasPermission(ctx.state.viewer, 'user.reset-second-factor');
  if (!mayReset || role !== 'owner' || !secondFactor) return nothing;
  return confirm(ctx, {
    ask: say('admin.partner.reset.ask'),
    submit: say('admin.partner.reset.submit'),
    action: `${operatorPaths.PARTNER}${partnerId}/users/${_id}/second-factor/reset`,
    question: say('admin.partner.reset.question', { name }),
  });
}

/** Links to lists filtered by this partner. */
function lists(partnerId: string): Html {
  const links = [
    [say('admin.partner.requests'), `/admin/requests?partner=${partnerId}`],
    [say('admin.partner.rewards'), `/admin/rewards?partner=${partnerId}`],
    [say('admin.partner.reviews'), `/admin/reviews?partner=${partnerId}`],
    [say('admin.partner.ledger'), `/admin/ledger?partner=${partnerId}`],
    [say('admin.partner.approvals'), `/admin/approvals?partner=${partnerId}`],
    [say('admin.partner.auditLog'), `/admin/audit?partner=${partnerId}`],
    [say('admin.partner.findACustomer'), `${operatorPaths.PARTNER}${partnerId}/find-customer`],
  ] as const;
  return html`<nav class="tabs" aria-label="${say('admin.partner.ofThisPartner')}"><ul>${links.map(
    ([text, path]) => html`<li class="tab"><a class="tab-link" href="${path}">${text}</a></li>`,
  )}</ul></nav>`;
}

/** Marks an unverified address, which gets no email. */
function contactOf(partner: PartnerDoc): Part {
  if (partner.contactEmail === null) return '–';
  const isVerified = verifiedContact(partner) !== null;
  return isVerified
    ? partner.contactEmail
    : say('admin.partner.notVerified', { contactEmail: partner.contactEmail });
}

function profile(partner: PartnerDoc): Html {
  return section(
    say('admin.partner.section.profile'),
    facts([
      [say('admin.partner.legalName'), partner.legalName ?? '–'],
      [
        say('admin.partner.website'),
        partner.website === null ? '–' : externalLink(partner.website),
      ],
      [say('admin.partner.contact'), contactOf(partner)],
      [say('common.support'), partner.supportEmail ?? '–'],
      [say('common.country'), countryName(partner.country)],
      [say('admin.partner.billingAddress'), partner.billingAddress?.split('\n').join(', ') ?? '–'],
      [say('admin.partner.taxNumber'), partner.taxId ?? '–'],
      [say('common.currency'), partner.currency],
      [
        say('admin.partner.lowBalanceAlert'),
        money(partner.lowBalanceThresholdCents, partner.currency),
      ],
      [say('common.since'), day(partner.createdAt)],
    ]),
  );
}

function goLive({ _id, goLive: { state, requestedAt, decidedAt, reason } }: PartnerDoc): Html {
  return section(
    say('admin.partner.section.goLive'),
    facts([
      [say('common.state'), badge(state)],
      [say('admin.partner.requested'), time(requestedAt)],
      [say('common.decided'), time(decidedAt)],
      [say('admin.partner.notesPartner'), reason ?? '–'],
    ]),
    html`<p class="after"><a href="${operatorPaths.PARTNER}${_id}/go-live">${say('admin.partner.checklistAndEvidence')}</a></p>`,
  );
}

function suspensionSection(ctx: PageContext<'operator'>, { _id, name, status }: PartnerDoc): Html {
  const path = operatorPaths.PARTNER + _id;
  return status === 'ACTIVE'
    ? section(
        say('admin.partner.section.suspend'),
        confirm(ctx, {
          ask: say('admin.partner.suspension.ask'),
          action: `${path}/suspend`,
          submit: say('admin.partner.suspension.submit'),
          question: say('admin.partner.suspension.question', { name }),
        }),
      )
    : section(
        say('admin.partner.section.resume'),
        confirm(ctx, {
          ask: say('admin.partner.suspension.ask.makeActive'),
          action: `${path}/resume`,
          submit: say('admin.partner.suspension.submit.makeActive'),
          isDangerous: false,
          question: say('admin.partner.suspension.question.sendPurchases', { name }),
        }),
      );
}
