import Joi from 'joi';
import { endOwnSessions } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { hashPassword, verifyPassword } from '../../platform/passwords.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField, currentPassword, emailField } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import {
  askForLinkPage,
  linkIsOverPage,
  linkSentPage,
  signInPage,
  takeLinkPage,
} from '../html/pages/sign-in.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { sessionCookie } from '../session/session-cookie.ts';
import { findActiveUser, signIn } from '../session/sign-in.ts';
import { isOpenSignInLink, sendSignInLink, useSignInLink } from '../session/sign-in-link.ts';
import { leaveView, viewingOperatorOf } from '../session/viewing.ts';

const passwordSchema = Joi.object<{ email: string; password: string; to?: string }>({
  email: emailField.required(),
  password: currentPassword.required(),
  to: backField,
});
const linkSchema = Joi.object<{ email: string }>({ email: emailField.required() });

const open = { audience: 'public', permission: null } as const;
const link = { ...open, path: '/sign-in/link/:token', params: { token: 'signInToken' } } as const;
// Accounts without a password are compared with this hash, so that it takes as long.
const unmatchableHash = hashPassword('a password that nobody has');

/** Signing in by password or emailed link, and signing out. */
export function signInPages(routes: Routes): void {
  const schema = Joi.object({});
  routes.page({ ...open, path: '/sign-in' }, showSignIn);
  routes.action(
    { ...open, path: '/sign-in' },
    { schema: passwordSchema, act: signInByPassword, retry: showSignIn },
  );
  routes.page({ ...open, path: '/sign-in/link' }, showAskForLink);
  routes.action(
    { ...open, path: '/sign-in/link' },
    { schema: linkSchema, act: askForLink, retry: showAskForLink },
  );
  routes.page({ ...open, path: '/sign-in/sent' }, showSent);
  // Email scanners follow links, so a GET consumes nothing.
  routes.page(link, showTakeLink);
  routes.action(link, { schema, act: signInByLink });
  routes.action(
    { path: '/sign-out', audience: 'user', permission: null },
    { schema, act: signOut },
  );
}

function showSignIn(ctx: PageContext<'public'>, _deps: PageDeps, filled?: Filled): void {
  const to = safePath(filled?.values.to ?? ctx.query.to);
  if (!filled && ctx.state.viewer) redirect(ctx, to);
  else render(ctx, signInPage(ctx, to, filled ?? emptyForm));
}

async function signInByPassword(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { email, password, to }: { email: string; password: string; to?: string },
): Promise<void> {
  deps.throttle.tryAddress(ctx.state.address);
  deps.throttle.tryPassword(email, ctx.state.address);
  const user = await findActiveUser(deps, { email });
  const isRight = await verifyPassword(password, user?.passwordHash ?? (await unmatchableHash));
  if (!user?.passwordHash || !isRight) {
    throw new FieldError('', 'Wrong email or password.');
  }
  deps.throttle.passwordWasRight(email, ctx.state.address);
  await signIn(deps, ctx, user, 'PASSWORD');
  redirect(ctx, safePath(to));
}

function showAskForLink(ctx: PageContext<'public'>, _deps: PageDeps, filled = emptyForm): void {
  render(ctx, askForLinkPage(ctx, filled));
}

async function askForLink(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { email }: { email: string },
): Promise<void> {
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
  await signIn(deps, ctx, user, 'LINK');
  redirect(ctx, '/');
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
