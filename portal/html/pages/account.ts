import { browserName } from '../../../domain/browser-name.ts';
import { timeZones, utc } from '../../../domain/time-zones.ts';
import type { SessionDoc } from '../../../models/schemas/session.ts';
import type { UserDoc } from '../../../models/schemas/user.ts';
import type { Account } from '../../../models/views/account.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
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
    { title: say('account.title') },
    section(
      say('account.section.you'),
      facts([
        [say('common.name'), user.name],
        [say('common.email'), user.email],
        [say('common.role'), wordsOf(role)],
      ]),
    ),
    passwordSection(ctx, { hasPassword: user.passwordHash !== null, needsCurrent, filled }),
    secondFactorSection(user),
    timeZoneSection(ctx, filled),
    section(say('account.section.whereSigned'), sessionTable(ctx, sessions, session._id)),
    section(
      say('account.section.noticesByEmail'),
      html`<p>${kind === 'partner' ? say('account.notices.ofPartner') : say('account.notices.ofOperators')}</p><p>${linkButton('/account/notices', say('account.choose'), 'secondary')}</p>`,
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
    hasPassword ? say('account.section.changeYourPassword') : say('account.section.setAPassword'),
    html`<p class="muted">${say('account.text')}</p>`,
    form(
      ctx,
      { action: '/account/password', submit: say('account.submit'), filled },
      needsCurrent
        ? field({
            ...password,
            name: 'currentPassword',
            label: say('account.currentPassword'),
            autocomplete: 'current-password',
          })
        : nothing,
      field({
        ...password,
        name: 'newPassword',
        label: say('account.newPassword'),
        autocomplete: 'new-password',
        hint: say('account.newPassword.hint'),
      }),
    ),
  );
}

function secondFactorSection({ secondFactor: factor }: UserDoc): Html {
  return section(
    say('account.section.secondFactor'),
    factor
      ? html`<p>${say('account.sinceRecovery', { badge: badge('ACTIVE', say('account.setUp')), enrolledAt: time(factor.enrolledAt), count: factor.recoveryCodeHashes.length })}</p><p>${linkButton('/second-factor/enroll', say('account.text.setUp'), 'secondary')}</p>`
      : html`<p>${say('account.setUpNeed')}</p><p>${linkButton('/second-factor/enroll', say('account.setItUp'))}</p>`,
  );
}

function timeZoneSection(ctx: PageContext<'user'>, filled: Filled): Html {
  return section(
    say('account.section.timeZone'),
    html`<p class="muted">${say('account.timesShown')}</p>`,
    form(
      ctx,
      { action: '/account/time-zone', submit: say('account.submit.saveTime'), filled },
      select({
        name: 'timeZone',
        label: say('account.timeZone'),
        filled,
        chosen: ctx.state.viewer.user.timeZone ?? utc,
        choices: timeZones.map((zone) => ({ value: zone, text: zone.replaceAll('_', ' ') })),
      }),
    ),
  );
}

function sessionTable(ctx: PageContext<'user'>, sessions: SessionDoc[], own: string) {
  return html`${table({
    caption: say('account.sessionTable.caption'),
    columns: [
      { heading: say('account.browser'), cell: ({ userAgent }) => browserName(userAgent) },
      { heading: say('account.address'), cell: ({ address }) => address },
      { heading: say('common.since'), cell: ({ createdAt }) => time(createdAt) },
      { heading: say('common.lastUsed'), cell: ({ lastUsedAt }) => time(lastUsedAt) },
      {
        heading: '',
        cell: ({ _id }) =>
          _id === own
            ? badge('ACTIVE', say('account.thisOne'))
            : form(ctx, {
                action: `/account/sessions/${_id}/end`,
                submit: say('account.sessionTable.submit'),
                isInline: true,
                isDangerous: true,
              }),
      },
    ],
    rows: sessions,
    empty: emptyState(
      say('account.sessionTable.empty.title'),
      say('account.sessionTable.empty.text'),
    ),
  })}${
    sessions.length > 1
      ? form(ctx, {
          action: '/account/sessions/end-others',
          submit: say('account.sessionTable.submit.signOut'),
          isDangerous: true,
        })
      : nothing
  }`;
}
