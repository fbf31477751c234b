import Joi from 'joi';
import { changePassword } from '../../models/commands/change-password.ts';
import type { SessionDoc } from '../../models/schemas/session.ts';
import { endSession, endSessions, sessionsOf } from '../../models/sessions.ts';
import { isPassword } from '../../platform/passwords.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { currentPassword, newPassword } from '../fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../html/components.ts';
import { field, form } from '../html/form.ts';
import { time } from '../html/format.ts';
import { html, nothing } from '../html/html.ts';
import { view } from '../html/view.ts';
import { nothingHere } from '../middleware/well-formed.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';
import { accessTokenSection } from './access-tokens.ts';

const passwordSchema = Joi.object<{ currentPassword?: string; newPassword: string }>({
  currentPassword,
  newPassword: newPassword.required(),
});
const user = { audience: 'user', permission: null } as const;
/** Whoever came by a link just now has no need of the password that they forgot. */
const linkFreshMs = 15 * 60_000;

/** One's own account: password, second factor, and where one is signed in. */
export function accountPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { now } = deps;

  const needsCurrent = ({ state: { viewer } }: PageContext<'user'>): boolean =>
    viewer.user.passwordHash !== null &&
    !(
      viewer.session.signedInBy === 'LINK' &&
      now() - viewer.session.createdAt.getTime() < linkFreshMs
    );

  async function show(ctx: PageContext<'user'>, filled: Filled = emptyForm) {
    const { user: who, session, role, kind } = ctx.state.viewer;
    const sessions = await sessionsOf(deps, who._id);
    const factor = who.secondFactor;
    view(
      ctx,
      { title: 'Account' },
      section(
        'You',
        facts([
          ['Name', who.name],
          ['E-mail', who.email],
          ['Role', wordsOf(role)],
        ]),
      ),
      section(
        who.passwordHash === null ? 'Set a password' : 'Change your password',
        html`<p class="muted">Every other browser in which you are signed in is signed out, and your access tokens end.</p>`,
        form(
          ctx,
          { action: '/account/password', submit: 'Save the password', filled },
          needsCurrent(ctx)
            ? field({
                ...{ name: 'currentPassword', label: 'Password so far', type: 'password', filled },
                ...{ autocomplete: 'current-password', isRequired: true },
              })
            : nothing,
          field({
            ...{ name: 'newPassword', label: 'New password', type: 'password', filled },
            ...{ autocomplete: 'new-password', isRequired: true, hint: 'At least 12 characters.' },
          }),
        ),
      ),
      section(
        'Second factor',
        factor
          ? html`<p>${badge('ACTIVE', 'Set up')} since ${time(factor.enrolledAt)}, with ${factor.recoveryCodeHashes.length} recovery codes left.</p><p>${linkButton('/second-factor/enroll', 'Set up another phone', 'secondary')}</p>`
          : html`<p>Not set up. LIVE keys and money ask for it.</p><p>${linkButton('/second-factor/enroll', 'Set it up')}</p>`,
      ),
      section('Where you are signed in', sessionTable(ctx, sessions, session._id)),
      kind === 'partner' ? await accessTokenSection(deps, ctx) : nothing,
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
              ? badge('ACTIVE', 'This one')
              : form(ctx, {
                  ...{ action: `/account/sessions/${_id}/end`, submit: 'Sign out' },
                  ...{ isInline: true, isDangerous: true },
                }),
        },
      ],
      rows: sessions,
      empty: emptyState('Nowhere', 'You are signed in nowhere else.'),
    })}${
      sessions.length > 1
        ? form(ctx, {
            ...{ action: '/account/sessions/end-others', submit: 'Sign out all others' },
            isDangerous: true,
          })
        : nothing
    }`;
  }

  routes.page({ path: '/account', ...user }, (ctx) => show(ctx));

  routes.action(
    { path: '/account/password', ...user },
    {
      schema: passwordSchema,
      async act(ctx, { currentPassword: current = '', newPassword: password }) {
        const { user: who, session } = ctx.state.viewer;
        if (needsCurrent(ctx)) {
          throttle.tryOwnPassword(who._id);
          if (!(await isPassword(current, who.passwordHash ?? ''))) {
            throw new FieldError('currentPassword', 'This is not your password.');
          }
          throttle.ownPasswordWasRight(who._id);
        }
        if (password.toLowerCase() === who.email) {
          throw new FieldError('newPassword', 'Your password must not be your address.');
        }
        await deed(
          deps,
          ctx,
          { action: 'own-password.change', partnerId: who.partnerId, targetId: who._id },
          () => changePassword(deps, who._id, { password, sessionId: session._id }),
        );
        redirect(ctx, '/account', 'Your password is changed. Other browsers are signed out.');
      },
      retry: show,
    },
  );

  routes.action(
    { path: '/account/sessions/:sessionId/end', params: { sessionId: 'session' }, ...user },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: userId, partnerId } = ctx.state.viewer.user;
        const targetId = param(ctx, 'sessionId');
        if (!(await deps.models.sessions.exists({ _id: targetId, userId }))) throw nothingHere();
        await deed(deps, ctx, { action: 'own-session.revoke', partnerId, targetId }, () =>
          endSession(deps, userId, targetId),
        );
        redirect(ctx, '/account', 'That browser is signed out.');
      },
    },
  );

  routes.action(
    { path: '/account/sessions/end-others', ...user },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { user: who, session } = ctx.state.viewer;
        await deed(
          deps,
          ctx,
          { action: 'own-session.revoke', partnerId: who.partnerId, targetId: who._id },
          () => endSessions(deps, who._id, session._id),
        );
        redirect(ctx, '/account', 'Every other browser is signed out.');
      },
    },
  );
}

/** A browser's and a system's name, as far as they can be read from how it names itself. */
function browserName(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const known = [browser, system].flatMap((one) => (one ? [names[one] ?? one] : []));
  return known.length > 0 ? known.join(' on ') : userAgent.slice(0, 40) || 'unknown';
}
