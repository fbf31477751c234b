import { browserName } from '../../../domain/partners.ts';
import { timeZones, utc } from '../../../domain/time-zones.ts';
import type { SessionDoc, UserDoc } from '../../../models/schemas/people.ts';
import type { Account } from '../../../models/views/account.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { badge, emptyState, facts, linkButton, section, table, wordsOf } from '../components.ts';
import { field, form, select } from '../form.ts';
import { time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';
import { accessTokenSection } from './access-tokens.ts';

export function accountPage(
  ctx: PageContext<'user'>,
  { sessions, tokens }: Account,
  { needsCurrent, filled }: { needsCurrent: boolean; filled: Filled },
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
    passwordSection(ctx, { hasPassword: user.passwordHash !== null, needsCurrent, filled }),
    secondFactorSection(user),
    timeZoneSection(ctx, filled),
    section('Where you are signed in', sessionTable(ctx, sessions, session._id)),
    section(
      'Notices by email',
      html`<p>${kind === 'partner' ? 'About funds, invoices, keys and more, as you choose.' : 'About what is waiting for operators, and about sign-ins, as you choose.'}</p><p>${linkButton('/account/notices', 'Choose notices', 'secondary')}</p>`,
    ),
    kind === 'partner' ? accessTokenSection(ctx, tokens) : nothing,
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

function secondFactorSection({ secondFactor: factor }: UserDoc): Html {
  return section(
    'Second factor',
    factor
      ? html`<p>${badge('ACTIVE', 'Set up')} since ${time(factor.enrolledAt)}, with ${factor.recoveryCodeHashes.length} recovery codes left.</p><p>${linkButton('/second-factor/enroll', 'Set up another phone', 'secondary')}</p>`
      : html`<p>Not set up. You need it for LIVE keys and money.</p><p>${linkButton('/second-factor/enroll', 'Set up')}</p>`,
  );
}

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
    columns: [
      { heading: 'Browser', cell: ({ userAgent }) => browserName(userAgent) },
      { heading: 'Address', cell: ({ address }) => address },
      { heading: 'Since', cell: ({ createdAt }) => time(createdAt) },
      { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) },
      {
        heading: '',
        cell: ({ _id }) =>
          _id === own
            ? badge('ACTIVE', 'This browser')
            : form(ctx, {
                action: `/account/sessions/${_id}/end`,
                submit: 'Sign out',
                isInline: true,
                isDangerous: true,
              }),
      },
    ],
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
