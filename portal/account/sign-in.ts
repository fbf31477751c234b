import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { param } from '../../http/context.ts';
import { endOwnSessions } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { hashPassword, verifyPassword } from '../../platform/passwords.ts';
import { linkButton, notice } from '../components/components.ts';
import { field, form, hidden } from '../components/form.ts';
import { type Html, html, nothing } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField, currentPassword, emailField } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo, isCarryingOn, pathOfKept } from '../session/carry-on.ts';
import {
  findActiveUser,
  isOpenSignInLink,
  sendSignInLink,
  sessionCookie,
  signIn,
  useSignInLink,
} from '../session/sign-in.ts';
import { leaveView, viewingOperatorOf } from '../session/viewing.ts';

// Accounts without a password are compared with this hash, so that it takes as long.
const unmatchableHash = hashPassword('a password that nobody has');

const passwordSchema = Joi.object<{ email: string; password: string; to?: string }>({
  email: emailField.required(),
  password: currentPassword.required(),
  to: backField,
});

const linkSchema = Joi.object<{ email: string }>({ email: emailField.required() });

/** Signing in by password or emailed link, and signing out. */
export function signInPages(routes: Routes): void {
  const anyone = routes.of('public');
  const schema = Joi.object({});
  const ofLink = { params: { token: 'signInToken' } } as const;
  anyone.page('/sign-in', showSignIn);
  anyone.action('/sign-in', { schema: passwordSchema, act: signInByPassword, retry: showSignIn });
  anyone.page('/sign-in/link', showAskForLink);
  anyone.action('/sign-in/link', { schema: linkSchema, act: askForLink, retry: showAskForLink });
  anyone.page('/sign-in/sent', showSent);
  // Email scanners follow links, so a GET consumes nothing.
  anyone.page('/sign-in/link/:token', showTakeLink, ofLink);
  anyone.action('/sign-in/link/:token', { schema, act: signInByLink }, ofLink);
  routes.of('user').action('/sign-out', { schema, act: signOut });
}

function showSignIn(ctx: PageContext<'public'>, deps: PageDeps, filled?: Filled): void {
  const to = safePath(filled?.values.to ?? ctx.query.to);
  if (!filled && ctx.state.viewer) redirect(ctx, to);
  else render(ctx, signInPage(ctx, { to, ways: waysOf(deps), filled: filled ?? emptyForm }));
}

const waysOf = ({ config }: PageDeps) => ({
  hasPasswords: config.hasPasswords,
  hasSingleSignOn: config.oidc !== null,
});

/** Shows why the identity provider did not sign somebody in. */
export function showRefusedSignIn(ctx: PageContext<'public'>, deps: PageDeps, why: string): void {
  ctx.status = 403;
  ctx.state.problems = { '': why };
  render(ctx, signInPage(ctx, { to: '/', ways: waysOf(deps), filled: emptyForm }));
}

/** @throws ServiceError FORBIDDEN if people sign in at the identity provider only */
export function requirePasswords({ config }: Pick<PageDeps, 'config'>): void {
  if (config.hasPasswords) return;
  throw new ServiceError('FORBIDDEN', 'Sign in with your organization’s account.');
}

async function signInByPassword(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { email, password, to }: { email: string; password: string; to?: string },
): Promise<void> {
  requirePasswords(deps);
  deps.throttle.tryAddress(ctx.state.address);
  deps.throttle.tryPassword(email, ctx.state.address);
  const user = await findActiveUser(deps, { email });
  const isRight = await verifyPassword(password, user?.passwordHash ?? (await unmatchableHash));
  if (!user?.passwordHash || !isRight) {
    throw new FieldError('', 'Wrong email or password.');
  }
  deps.throttle.passwordWasRight(email, ctx.state.address);
  const { token } = await signIn(deps, ctx, user, 'PASSWORD');
  continueTo(ctx, safePath(to), token);
}

function showAskForLink(ctx: PageContext<'public'>, _deps: PageDeps, filled = emptyForm): void {
  render(ctx, askForLinkPage(ctx, filled));
}

async function askForLink(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { email }: { email: string },
): Promise<void> {
  requirePasswords(deps);
  deps.throttle.tryAddress(ctx.state.address);
  // Not awaited, so that neither the response nor its timing reveals whether the address is known.
  const { requestId } = ctx.state;
  void sendSignInLink(deps, email).catch((error: unknown) =>
    deps.log.error({ err: error, requestId }, 'the sign-in link was not sent'),
  );
  redirect(ctx, '/sign-in/sent');
}

function showSent(ctx: PageContext<'public'>): void {
  render(ctx, linkSentPage());
}

async function showTakeLink(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  if (!(await isOpenSignInLink(deps, param(ctx, 'token')))) return showLinkIsOver(ctx);
  render(ctx, takeLinkPage(ctx));
}

async function signInByLink(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  deps.throttle.tryAddress(ctx.state.address);
  const user = await useSignInLink(deps, param(ctx, 'token'));
  if (!user) return showLinkIsOver(ctx);
  const { keptForm } = await signIn(deps, ctx, user, 'LINK');
  redirect(ctx, keptForm === null ? '/' : pathOfKept(keptForm));
}

function showLinkIsOver(ctx: PageContext<'public'>): void {
  ctx.status = 410;
  render(ctx, linkIsOverPage());
}

async function signOut(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const { viewer, requestId } = ctx.state;
  const { _id: sessionId } = viewer.session;
  const operator = viewingOperatorOf(viewer);
  if (operator) {
    await leaveView(deps, viewer.session, operator, requestId, 'SIGNED_OUT');
    const { actorId: id, role } = operator;
    const actor = { kind: 'operator', id, role, requestId, factor: null } as const;
    await execute(deps, endOwnSessions, actor, { sessionId });
  } else await execute(deps, endOwnSessions, actorOf(ctx), { sessionId });
  sessionCookie(deps.config).clear(ctx);
  redirect(ctx, '/sign-in');
}

interface SignInOptions {
  /** The page to continue to. */
  to: string;
  ways: { hasPasswords: boolean; hasSingleSignOn: boolean };
  filled: Filled;
}

function signInPage(
  ctx: PageContext<'public'>,
  { to, ways: { hasPasswords, hasSingleSignOn }, filled }: SignInOptions,
): Page {
  return page(
    { title: 'Sign in', lead: 'For partners and operators.' },
    html`<div class="card narrow">${
      isCarryingOn(to)
        ? notice('info', 'Your session has ended. Sign in, and what you sent is carried out.')
        : nothing
    }${
      hasSingleSignOn
        ? html`<p>${linkButton(`/sign-in/sso?to=${encodeURIComponent(to)}`, 'Sign in with your organization', hasPasswords ? 'secondary' : 'primary')}</p>`
        : nothing
    }${hasPasswords ? passwordForm(ctx, to, filled) : nothing}</div>`,
  );
}

const email = {
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  isRequired: true,
  maxLength: 255,
} as const;

const passwordForm = (ctx: PageContext<'public'>, to: string, filled: Filled): Html =>
  html`${form(
    ctx,
    { action: '/sign-in', submit: 'Sign in', filled },
    hidden('to', to),
    field({ ...email, filled, autofocus: true }),
    field({
      name: 'password',
      label: 'Password',
      type: 'password',
      filled,
      autocomplete: 'current-password',
      isRequired: true,
    }),
  )}<p class="muted after">Forgot your password, or don’t have one? <a href="/sign-in/link">Sign in by email</a></p>`;

function askForLinkPage(ctx: PageContext<'public'>, filled: Filled): Page {
  return page(
    {
      title: 'Sign in by email',
      lead: 'We send you a link that signs you in. It works once, within 15 minutes.',
      crumbs: [['Sign in', '/sign-in']],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/sign-in/link', submit: 'Send link', filled },
      field({ ...email, filled }),
    )}</div>`,
  );
}

function linkSentPage(): Page {
  return page(
    { title: 'Check your email', crumbs: [['Sign in', '/sign-in']] },
    html`<div class="card narrow"><p>If this address has an account, the link is on its way. It works once, within 15 minutes.</p>
<p class="muted after">Nothing there? Check your spam folder, or <a href="/sign-in/link">send it again</a>.</p></div>`,
  );
}

function takeLinkPage(ctx: PageContext<'public'>): Page {
  return page(
    { title: 'Sign in' },
    html`<div class="card narrow"><p>One more step, so that nobody else can use this link.</p>${form(
      ctx,
      {
        action: ctx.path,
        submit: 'Sign in',
      },
    )}</div>`,
  );
}

function linkIsOverPage(): Page {
  return page(
    { title: 'This link has expired' },
    html`<div class="card narrow"><p>It has already been used, or is older than 15 minutes.</p>
<p class="after">${linkButton('/sign-in/link', 'Send another link')}</p></div>`,
  );
}
