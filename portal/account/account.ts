import Joi from 'joi';
import { browserName } from '../../domain/partners.ts';
import { timeZones, utc } from '../../domain/time-zones.ts';
import type { PasskeyDoc, SessionDoc } from '../../models/schemas/people.ts';
import { changePassword, chooseTimeZone, endOwnSessions } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { verifyPassword } from '../../platform/passwords.ts';
import { type Account, readAccount } from '../../views/account.ts';
import {
  badge,
  definitions,
  emptyState,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { field, form, select } from '../components/form.ts';
import { day, type Html, html, nothing, plural, time } from '../components/format.ts';
import { noPasskeysHere } from '../components/passkeys.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { currentPassword, newPassword } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled, type Problems } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { accessTokenSection } from './access-tokens.ts';
import { requirePasswords } from './sign-in.ts';

interface PasswordForm {
  currentPassword?: string;
  newPassword: string;
}

const passwordSchema = Joi.object<PasswordForm>({
  currentPassword,
  newPassword: newPassword.required(),
});

const zoneSchema = Joi.object<{ timeZone: string }>({
  timeZone: Joi.string()
    .valid(...timeZones)
    .required()
    .messages({ 'any.only': 'Choose a time zone.', 'any.required': 'Choose a time zone.' }),
});

/**
 * Someone who just signed in by an emailed link does not need the old password, which they may have
 * forgotten.
 */
const linkFreshMs = 15 * 60_000;

/** The viewer's account: password, second factor and sessions. */
export function accountPages(routes: RoutesOf<'user'>): void {
  routes.page('/account', showAccount);
  routes.action('/account/password', {
    schema: passwordSchema,
    check: checkPassword,
    act: savePassword,
    retry: showAccount,
  });
  routes.operation('/account/time-zone', chooseTimeZone, {
    on: showAccount,
    form: zoneSchema,
    to: '/account',
    said: (_saved, { timeZone }) => `Times are now shown in ${timeZone.replaceAll('_', ' ')}.`,
  });
  routes.operation('/account/sessions/:sessionId/end', endOwnSessions, {
    to: '/account',
    said: 'Browser signed out.',
  });
  routes.operation('/account/sessions/end-others', endOwnSessions, {
    input: (_nothing, { state }) => ({ allBut: state.viewer.session._id }),
    to: '/account',
    said: 'All other browsers have been signed out.',
  });
}

async function showAccount(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const account = await readAccount(deps, ctx.state.viewer.user._id);
  const needsCurrent = needsCurrentPassword(ctx, deps.now());
  const { hasPasswords, portal } = deps.config;
  const noPasskeys = relyingPartyOf(portal.url) === null ? noPasskeysHere(portal.url) : null;
  render(ctx, accountPage(ctx, account, { needsCurrent, hasPasswords, noPasskeys, filled }));
}

function needsCurrentPassword({ state }: PageContext<'user'>, nowMs: number): boolean {
  const { user: who, session } = state.viewer;
  const cameByLink =
    session.signedInBy === 'LINK' && nowMs - session.createdAt.getTime() < linkFreshMs;
  return who.passwordHash !== null && !cameByLink;
}

const checkPassword = (
  { state }: PageContext<'user'>,
  _deps: PageDeps,
  { newPassword: password }: Partial<PasswordForm>,
): Problems =>
  password !== undefined && password.toLowerCase() === state.viewer.user.email
    ? { newPassword: 'Your password can’t be your email address.' }
    : {};

async function savePassword(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { currentPassword: current = '', newPassword: password }: PasswordForm,
): Promise<void> {
  requirePasswords(deps);
  const { throttle } = deps;
  const { user: who, session } = ctx.state.viewer;
  throttle.tryNewPassword(who._id);
  if (needsCurrentPassword(ctx, deps.now())) {
    throttle.tryOwnPassword(who._id);
    if (!(await verifyPassword(current, who.passwordHash ?? ''))) {
      throw new FieldError('currentPassword', 'Wrong password.');
    }
    throttle.ownPasswordWasRight(who._id);
  }
  await execute(deps, changePassword, actorOf(ctx), { password, sessionId: session._id });
  redirect(ctx, '/account', 'Password changed. Other browsers have been signed out.');
}

function accountPage(
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
      definitions([
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
