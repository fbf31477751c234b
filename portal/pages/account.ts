import {
  browserName,
  digestHour,
  type NoticeRhythm,
  type NoticeSwitch,
  noticeRhythms,
  noticeSwitches,
} from '../../domain/partners.ts';
import { timeZones, utc } from '../../domain/time-zones.ts';
import type { AccessTokenDoc, PasskeyDoc, SessionDoc } from '../../models/schemas/people.ts';
import type { Account } from '../../views/account.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { field, form, select, tickList } from '../components/form.ts';
import { day, type Html, html, nothing, plural, time } from '../components/format.ts';
import { linkIfOpen } from '../components/onward-links.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';

/** The validity periods to choose from, in days. */
export const tokenDays = [7, 30, 90] as const;

export function newTokenPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: 'New access token',
      crumbs: [['Account', '/account']],
      lead: 'For the command-line client on your machine: it reads your log and, if your role allows it, claims and expires TEST rewards. It cannot send purchases or change anything in LIVE.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/access-tokens/new', submit: 'Create token', filled },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        maxLength: 100,
        hint: 'For example, the computer you use it on.',
      }),
      select({
        name: 'days',
        label: 'Valid for',
        filled,
        chosen: '30',
        choices: tokenDays.map((days) => ({
          value: String(days),
          text: `${days} days`,
        })),
      }),
    )}</div>`,
  );
}

/** The viewer's own tokens, as a section of the account page. */
export function accessTokenSection(
  ctx: PageContext<'user'>,
  tokens: readonly AccessTokenDoc[],
): Html {
  return section(
    'Access tokens',
    html`<p class="muted">For <code>node partner-events.mjs listen</code> and similar commands in your terminal. They can read your log and rewards and, if your role allows it, use the TEST clock and receive TEST events. They end when you change your password. ${linkIfOpen(ctx, '/quickstarts#command', 'Get the command')}</p>`,
    table({
      caption: 'Access tokens',
      columns: {
        For: ({ name }) => name,
        Created: ({ createdAt }) => day(createdAt),
        Expires: ({ expiresAt }) => day(expiresAt),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        From: ({ lastUsedFrom }) => lastUsedFrom ?? '–',
        '': ({ _id }) =>
          form(ctx, {
            action: `/account/access-tokens/${_id}/revoke`,
            submit: 'Revoke',
            isInline: true,
            isDangerous: true,
          }),
      },
      rows: tokens,
      empty: emptyState(
        'No access tokens',
        'A token lets the command-line client on your machine read your log.',
      ),
    }),
    html`<p class="after">${linkButton('/account/access-tokens/new', 'New access token', 'secondary')}</p>`,
  );
}

export function accountPage(
  ctx: PageContext<'user'>,
  { sessions, tokens }: Account,
  {
    needsCurrent,
    hasPasswords,
    noPasskeys,
    filled,
  }: {
    needsCurrent: boolean;
    hasPasswords: boolean;
    noPasskeys: string | null;
    filled: Filled;
  },
): Page {
  const { user, session, role, kind } = ctx.state.viewer;
  return page(
    { title: 'Account' },
    section(
      'You',
      facts([
        ['Name', user.name],
        ['Email', user.email],
        ['Role', wordsOf(role)],
      ]),
    ),
    hasPasswords
      ? passwordSection(ctx, { hasPassword: user.passwordHash !== null, needsCurrent, filled })
      : nothing,
    secondFactorSection(ctx, noPasskeys),
    timeZoneSection(ctx, filled),
    section('Where you are signed in', sessionTable(ctx, sessions, session._id)),
    // Partners’ users have a tab for it.
    kind === 'partner'
      ? nothing
      : section(
          'Notices by email',
          html`<p>About what is waiting for operators, and about sign-ins, as you choose.</p><p>${linkButton('/account/notices', 'Choose notices', 'secondary')}</p>`,
        ),
    kind === 'partner'
      ? accessTokenSection(ctx, tokens)
      : section(
          'Tokens',
          html`<p>For the operators’ API.</p><p>${linkButton('/admin/tokens', 'Your tokens', 'secondary')}</p>`,
        ),
  );
}

/** @param needsCurrent whether the current password must be entered */
function passwordSection(
  ctx: PageContext<'user'>,
  {
    hasPassword,
    needsCurrent,
    filled,
  }: { hasPassword: boolean; needsCurrent: boolean; filled: Filled },
): Html {
  const password = { type: 'password', filled, isRequired: true } as const;
  return section(
    hasPassword ? 'Change your password' : 'Set a password',
    html`<p class="muted">This signs you out of every other browser and ends your access tokens.</p>`,
    form(
      ctx,
      { action: '/account/password', submit: 'Save password', filled },
      needsCurrent
        ? field({
            ...password,
            name: 'currentPassword',
            label: 'Current password',
            autocomplete: 'current-password',
          })
        : nothing,
      field({
        ...password,
        name: 'newPassword',
        label: 'New password',
        autocomplete: 'new-password',
        hint: 'At least 12 characters.',
      }),
    ),
  );
}

/** @param noPasskeys why there are none at the portal's address; null if there can be */
function secondFactorSection(ctx: PageContext<'user'>, noPasskeys: string | null): Html {
  const { secondFactor: factor } = ctx.state.viewer.user;
  if (factor === null) {
    return section(
      'Second factor',
      html`<p>Not set up. You need it for LIVE keys and money.</p><p>${linkButton('/second-factor/enroll', 'Set up')}</p>`,
    );
  }
  const { sealedSecret, passkeys = [], enrolledAt, recoveryCodeHashes } = factor;
  const hasApp = sealedSecret !== null;
  return section(
    'Second factor',
    html`<p>${badge('ACTIVE', 'Set up')} since ${time(enrolledAt)}, ${hasApp ? 'with an authenticator app and' : 'with'} ${plural(recoveryCodeHashes.length, 'recovery code', 'recovery codes')} left.</p>`,
    passkeys.length > 0 ? passkeyTable(ctx, passkeys) : nothing,
    noPasskeys === null ? nothing : html`<p class="muted">${noPasskeys}</p>`,
    html`<div class="after"><p class="buttons">${noPasskeys === null ? linkButton('/second-factor/passkeys/new', 'Add a passkey', 'secondary') : nothing}
${linkButton('/second-factor/enroll', hasApp ? 'Set up another phone' : 'Set up an authenticator app', 'secondary')}</p></div>`,
  );
}

const passkeyTable = (ctx: PageContext<'user'>, passkeys: readonly PasskeyDoc[]): Html =>
  table({
    caption: 'Passkeys',
    columns: {
      Passkey: ({ name }) => name,
      Added: ({ createdAt }) => day(createdAt),
      'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
      '': ({ _id }) =>
        form(ctx, {
          action: `/account/passkeys/${_id}/remove`,
          submit: 'Remove',
          isInline: true,
          isDangerous: true,
        }),
    },
    rows: passkeys,
  });

function timeZoneSection(ctx: PageContext<'user'>, filled: Filled): Html {
  return section(
    'Time zone',
    html`<p class="muted">Times are shown in this zone; hover over one to see it in UTC. Days, billing periods and what you enter stay in UTC.</p>`,
    form(
      ctx,
      { action: '/account/time-zone', submit: 'Save time zone', filled },
      select({
        name: 'timeZone',
        label: 'Time zone',
        filled,
        chosen: ctx.state.viewer.user.timeZone ?? utc,
        choices: timeZones.map((zone) => ({ value: zone, text: zone.replaceAll('_', ' ') })),
      }),
    ),
  );
}

function sessionTable(ctx: PageContext<'user'>, sessions: SessionDoc[], own: string) {
  return html`${table({
    caption: 'Where you are signed in',
    columns: {
      Browser: ({ userAgent }) => browserName(userAgent),
      Address: ({ address }) => address,
      Since: ({ createdAt }) => time(createdAt),
      'Last used': ({ lastUsedAt }) => time(lastUsedAt),
      '': ({ _id }) =>
        _id === own
          ? badge('ACTIVE', 'This browser')
          : form(ctx, {
              action: `/account/sessions/${_id}/end`,
              submit: 'Sign out',
              isInline: true,
              isDangerous: true,
            }),
    },
    rows: sessions,
    empty: emptyState('No other sessions', 'You are not signed in anywhere else.'),
  })}${
    sessions.length > 1
      ? form(ctx, {
          action: '/account/sessions/end-others',
          submit: 'Sign out all others',
          isDangerous: true,
        })
      : nothing
  }`;
}

const words: Readonly<Record<NoticeSwitch, string>> = {
  'go_live.approved': 'Your go-live request was approved',
  'go_live.returned': 'Your go-live request needs changes',
  'funding.low': 'Funds are running low',
  'funding.recovered': 'Funding has recovered',
  'funding.topped_up': 'A top-up was credited',
  'funding.withdrawn': 'Funding was paid back to you',
  'funding.corrected': 'A top-up was corrected',
  'reward.awaiting_funding': 'Rewards are waiting for funds',
  'usage.threshold': '80% or 100% of the allowance is used',
  'invoice.issued': 'An invoice was issued',
  'invoice.payment_recorded': 'A payment of an invoice was recorded',
  'invoice.payment_reversed': 'A payment of an invoice was reversed',
  'invoice.overdue': 'An invoice is overdue',
  'invoice.voided': 'An invoice was voided',
  'review.asked': 'An operator has a question about a refund',
  'review.decided': 'A review was decided',
  'credential.created': 'A LIVE key was created',
  'credential.revoked': 'A LIVE key was revoked',
  'credential.expiring': 'A secret of a LIVE key is about to expire',
  'service_account.changed': 'A LIVE service account was created, rotated or revoked',
  'webhook-endpoint.news': 'A webhook endpoint is failing',
  'review.waiting': 'A LIVE review was opened',
  'review.due': 'A LIVE review is overdue',
  'review.answered': 'A partner answered a question about a LIVE refund',
  'approval.waiting': 'A proposal needs a second operator',
  'go_live.requested': 'A partner requested go-live',
  'audit.faults': 'The audit found faults',
  'sign-in.new-device': 'You signed in with a new browser',
};

const rhythmWords = (): Record<NoticeRhythm, string> => ({
  AT_ONCE: 'As it happens',
  DAILY: `Once a day, at ${String(digestHour).padStart(2, '0')}:00 UTC`,
});

export function noticesPage(ctx: PageContext<'user'>, filled: Filled): Page {
  const { user, kind } = ctx.state.viewer;
  const isPartners = kind === 'partner';
  const offered: readonly NoticeSwitch[] = noticeSwitches[isPartners ? 'user' : 'operator'];
  return page(
    {
      title: 'Notices by email',
      // Partners’ users have a tab for it.
      ...(!isPartners && { crumbs: [['Account', '/account']] as const }),
      lead: `Sent to ${user.email}. When a lot happens at once, everything within ten minutes is combined into one email.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: 'Save', filled },
      tickList({
        name: 'notices',
        label: 'Notify me when',
        filled,
        ...(isPartners && {
          hint: 'LIVE only. Your company’s contact is always notified of low funding and failing endpoints.',
        }),
        choices: offered.map((value) => ({ value, text: words[value] })),
      }),
      select({
        name: 'rhythm',
        label: 'How often',
        filled,
        hint: 'A failing endpoint or a new browser is always reported as it happens.',
        choices: noticeRhythms.map((value) => ({ value, text: rhythmWords()[value] })),
      }),
    )}</div>`,
  );
}
