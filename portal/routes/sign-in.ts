import Joi from 'joi';
import { endSession } from '../../models/sessions.ts';
import { createSignInLink, findSignInLink, takeSignInLink } from '../../models/sign-in-links.ts';
import { hashPassword, isPassword } from '../../platform/passwords.ts';
import { signInMail } from '../../platform/portal-mails.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { backField, currentPassword, emailField } from '../fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms.ts';
import { linkButton } from '../html/components.ts';
import { field, form, hidden } from '../html/form.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import type { Routes } from '../route-table.ts';
import { safePath } from '../safe-path.ts';
import { sessionCookie } from '../session-cookie.ts';
import { findActiveUser, signIn } from '../sign-in.ts';
import type { Throttle } from '../throttle.ts';

const passwordSchema = Joi.object<{ email: string; password: string; to?: string }>({
  email: emailField.required(),
  password: currentPassword.required(),
  to: backField,
});
const linkSchema = Joi.object<{ email: string }>({ email: emailField.required() });

/** In and out: by password, or by a link that comes by mail. */
export function signInPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models, config, log } = deps;
  // Whoever has no password is checked against this one, so that it takes as long.
  const nobodysHash = hashPassword('a password that nobody has');
  const open = { audience: 'public', permission: null } as const;

  async function showSignIn(ctx: PageContext<'public'>, filled: Filled = emptyForm) {
    const to = safePath(filled.values.to ?? ctx.query.to);
    view(
      ctx,
      { title: 'Sign in', lead: 'For partners and operators.' },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/sign-in', submit: 'Sign in', filled },
        hidden('to', to),
        field({
          ...{ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', filled },
          ...{ isRequired: true, maxLength: 255 },
        }),
        field({
          ...{ name: 'password', label: 'Password', type: 'password', filled },
          ...{ autocomplete: 'current-password', isRequired: true },
        }),
      )}<p class="muted after">No password, or forgotten? <a href="/sign-in/link">Sign in by mail</a></p></div>`,
    );
  }

  routes.page({ path: '/sign-in', ...open }, async (ctx) => {
    if (ctx.state.viewer) return redirect(ctx, safePath(ctx.query.to));
    await showSignIn(ctx);
  });

  routes.action(
    { path: '/sign-in', ...open },
    {
      schema: passwordSchema,
      async act(ctx, { email, password, to }) {
        throttle.tryAddress(ctx.state.address);
        throttle.tryPassword(email, ctx.state.address);
        const user = await findActiveUser(deps, { email });
        const isRight = await isPassword(password, user?.passwordHash ?? (await nobodysHash));
        if (!user?.passwordHash || !isRight) {
          throw new FieldError('', 'This e-mail address and password do not belong together.');
        }
        throttle.passwordWasRight(email, ctx.state.address);
        await signIn(deps, ctx, user, 'PASSWORD');
        redirect(ctx, safePath(to));
      },
      retry: showSignIn,
    },
  );

  async function showAskForLink(ctx: PageContext<'public'>, filled: Filled = emptyForm) {
    view(
      ctx,
      {
        title: 'Sign in by mail',
        lead: 'We send you a link that signs you in. It works once, within 15 minutes.',
        crumbs: [['Sign in', '/sign-in']],
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/sign-in/link', submit: 'Send the link', filled },
        field({
          ...{ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', filled },
          ...{ isRequired: true, maxLength: 255 },
        }),
      )}</div>`,
    );
  }

  routes.page({ path: '/sign-in/link', ...open }, (ctx) => showAskForLink(ctx));

  routes.action(
    { path: '/sign-in/link', ...open },
    {
      schema: linkSchema,
      async act(ctx, { email }) {
        throttle.tryAddress(ctx.state.address);
        // Nobody waits for it: neither the answer nor its time says whether the address is known.
        const { requestId } = ctx.state;
        void sendLink(email).catch((error: unknown) =>
          log.error({ err: error, requestId }, 'the link was not sent'),
        );
        redirect(ctx, '/sign-in/sent');
      },
      retry: showAskForLink,
    },
  );

  async function sendLink(email: string): Promise<void> {
    if (!throttle.mayMail(email)) return;
    const user = await findActiveUser(deps, { email });
    if (!user) return;
    const token = await createSignInLink(deps, user._id);
    await deps.sendMail(signInMail(config.portal.url, email, token));
  }

  routes.page({ path: '/sign-in/sent', ...open }, async (ctx) => {
    view(
      ctx,
      { title: 'Look into your mail', crumbs: [['Sign in', '/sign-in']] },
      html`<div class="card narrow"><p>If somebody signs in with this address, the link is on its way. It works once, within 15 minutes.</p>
<p class="muted after">Nothing there? Look among the spam, or <a href="/sign-in/link">send it again</a>.</p></div>`,
    );
  });

  const link = {
    path: '/sign-in/link/:token',
    params: { token: 'signInToken' },
    ...open,
  } as const;

  // Programs that read mails follow links: a GET takes nothing.
  routes.page(link, async (ctx) => {
    if (!(await findSignInLink(deps, param(ctx, 'token')))) return showLinkIsOver(ctx);
    view(
      ctx,
      { title: 'Sign in' },
      html`<div class="card narrow"><p>One more step, so that nobody but you takes this link.</p>${form(
        ctx,
        { action: ctx.path, submit: 'Sign in' },
      )}</div>`,
    );
  });

  routes.action(link, {
    schema: Joi.object({}),
    async act(ctx) {
      throttle.tryAddress(ctx.state.address);
      const userId = await takeSignInLink(deps, param(ctx, 'token'));
      const user = userId === null ? null : await findActiveUser(deps, { _id: userId });
      if (!user) return showLinkIsOver(ctx);
      await signIn(deps, ctx, user, 'LINK');
      redirect(ctx, '/');
    },
  });

  function showLinkIsOver(ctx: PageContext<'public'>): void {
    ctx.status = 410;
    view(
      ctx,
      { title: 'This link is over' },
      html`<div class="card narrow"><p>It was used already, or is older than 15 minutes.</p>
<p class="after">${linkButton('/sign-in/link', 'Send another one')}</p></div>`,
    );
  }

  routes.action(
    { path: '/sign-out', audience: 'user', permission: null },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { user, session } = ctx.state.viewer;
        const { partnerId } = user;
        await deed(
          deps,
          ctx,
          { action: 'own-session.revoke', partnerId, targetId: session._id },
          () => endSession({ models }, user._id, session._id),
        );
        sessionCookie(config).clear(ctx);
        redirect(ctx, '/sign-in');
      },
    },
  );
}
