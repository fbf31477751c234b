import Joi from 'joi';
import { renderSVG } from 'uqr';
import { ServiceError } from '../../domain/errors.ts';
import { isRecoveryCode, missingForEnrolment } from '../../domain/partners.ts';
import type { InvitationDoc } from '../../models/schemas/people.ts';
import {
  endOwnSessions,
  enrollOwnFactor,
  giveSecondFactor,
  notifyOfChange,
  proveEmail,
  sendEmailCode,
} from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { acceptInvitation, invitedActor } from '../../operations/users.ts';
import { codeUri, newCodeSecret, stepOfCode } from '../../platform/hashing.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { hashPassword, verifyPassword } from '../../platform/passwords.ts';
import { type InvitationEnd, readInvitation } from '../../views/account.ts';
import { readPartner } from '../../views/partners.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField, currentPassword, emailField, nameField, newPassword } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { firstPath } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import {
  askForLinkPage,
  enrolPage,
  giveFactorPage,
  invitationPage,
  linkIsOverPage,
  linkSentPage,
  proveEmailPage,
  signInPage,
  takeLinkPage,
} from '../pages/sign-in.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo, pathOfKept } from '../session/carry-on.ts';
import { reveal } from '../session/reveal.ts';
import {
  clearCodeTries,
  openCodeSecret,
  rememberBrowser,
  sealCodeSecret,
  strengthen,
  tryCode,
} from '../session/second-factor.ts';
import {
  findActiveUser,
  isOpenSignInLink,
  sendSignInLink,
  sessionCookie,
  signIn,
  useSignInLink,
} from '../session/sign-in.ts';
import { waitOr } from '../session/throttle.ts';
import { leaveView, viewingOperatorOf } from '../session/viewing.ts';
import { TitledError } from '../titled-error.ts';

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

interface Accepted {
  name: string;
  /** Absent if people sign in at the identity provider. */
  password?: string;
}

const acceptSchema = Joi.object<Accepted>({ name: nameField.required(), password: newPassword });
const spec = {
  path: '/invitations/:token',
  params: { token: 'invitationToken' },
  audience: 'public',
  permission: null,
} as const;

/** Accepting an invitation. */
export function invitationPages(routes: Routes): void {
  routes.page(spec, showInvitation);
  routes.action(spec, {
    schema: acceptSchema,
    check: checkPassword,
    act: accept,
    retry: showInvitation,
  });
}

/** Titles and texts for invitations that can't be accepted. */
const endWords: Readonly<Record<InvitationEnd, readonly [title: string, text: string]>> = {
  ACCEPTED: [
    'This invitation was already used',
    'Sign in with the email address it was sent to. If you didn’t use it yourself, ask whoever invited you for a new one.',
  ],
  EXPIRED: [
    'This invitation has expired',
    'An invitation can be accepted for seven days. Ask whoever invited you for a new one.',
  ],
  WITHDRAWN: [
    'This invitation was revoked or replaced',
    'If you were invited again, open the link in the newest email. Otherwise, ask whoever invited you for a new one.',
  ],
  UNKNOWN: [
    'We don’t recognize this invitation',
    'Some email programs break a long link in two. Open the link from the email again, or copy all of it. If that doesn’t help, ask whoever invited you for a new invitation.',
  ],
};

/** The invitation of the link. @throws TitledError saying how it ended */
async function findOpen(ctx: PageContext<'public'>, deps: PageDeps): Promise<InvitationDoc> {
  const read = await readInvitation(deps, param(ctx, 'token'));
  if (typeof read !== 'string') return read;
  const [title, text] = endWords[read];
  throw new TitledError('NOT_FOUND', title, text);
}

async function showInvitation(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  given?: Filled,
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const partner = await readPartner(deps, invitation.partnerId);
  const { hasPasswords } = deps.config;
  const filled = given ?? filledWith({ name: nameIn(invitation.email) });
  render(ctx, invitationPage(ctx, { invitation, partner, hasPasswords, filled }));
}

/** The name that an address probably spells: `ann.lee@…` is Ann Lee's; empty if it spells none. */
function nameIn(email: string): string {
  const [local = ''] = email.split('@');
  if (!/^\p{L}{2,}([._-]\p{L}{2,})*$/u.test(local)) return '';
  const words = local.split(/[._-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

async function checkPassword(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { password }: Partial<Accepted>,
): Promise<Problems> {
  deps.throttle.tryAddress(ctx.state.address);
  const { email } = await findOpen(ctx, deps);
  if (!deps.config.hasPasswords) return {};
  if (password === undefined) return { password: 'Enter a password.' };
  return password.toLowerCase() === email
    ? { password: 'Your password can’t be your email address.' }
    : {};
}

async function accept(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { name, password }: Accepted,
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const { partnerId, role } = invitation;
  const actor = invitedActor(invitation, ctx.state.requestId);
  const { hasPasswords } = deps.config;
  const user = await execute(deps, acceptInvitation, actor, {
    invitationId: invitation._id,
    name,
    ...(hasPasswords && { password }),
  });
  if (!hasPasswords) return redirect(ctx, '/sign-in/sso');
  await signIn(deps, ctx, user, 'INVITATION', {
    tone: 'good',
    text: 'Welcome. You are signed in.',
  });
  redirect(ctx, await firstPath(deps, await readPartner(deps, partnerId), role));
}

/** This many wrong codes in a day are more than a slip, and the user is notified. */
const notifyAfter = 5;

const codeText = Joi.string().max(40).required().messages({ 'any.required': 'Enter the code.' });
const giveSchema = Joi.object<{ code: string; to?: string }>({ code: codeText, to: backField });
const sendSchema = Joi.object<{ to?: string }>({ to: backField });
const enrollSchema = Joi.object<{ code: string; sealedSecret: string; to?: string }>({
  code: codeText,
  sealedSecret: Joi.string().max(1_000).required(),
  to: backField,
});
const user = { audience: 'user', permission: null } as const;
const giving = { ...user, path: '/second-factor' } as const;
const proving = { ...user, path: '/second-factor/email' } as const;
const enrolling = { ...user, path: '/second-factor/enroll' } as const;

/** Entering and setting up the second factor. */
export function secondFactorPages(routes: Routes): void {
  routes.page(giving, showGive);
  routes.action(giving, { schema: giveSchema, act: give, retry: showGive });
  routes.page(proving, showProve);
  routes.action(proving, { schema: sendSchema, act: sendCode, retry: showProve });
  routes.action(
    { ...user, path: `${proving.path}/code` },
    { schema: giveSchema, act: prove, retry: showProve },
  );
  routes.page(enrolling, showEnroll);
  routes.action(enrolling, { schema: enrollSchema, act: enroll, retry: showEnroll });
}

export function showGive(
  ctx: PageContext<'user'>,
  { config }: PageDeps,
  filled: Filled = emptyForm,
): void {
  const to = safePath(filled.values.to ?? ctx.query.to);
  const { secondFactor } = ctx.state.viewer.user;
  const hasPasskeys = relyingPartyOf(config.portal.url) !== null;
  if (secondFactor) render(ctx, giveFactorPage(ctx, { secondFactor, hasPasskeys, to, filled }));
  else redirect(ctx, `${enrolling.path}?to=${encodeURIComponent(to)}`);
}

async function give(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { code: given, to }: { code: string; to?: string },
): Promise<void> {
  const { viewer, address } = ctx.state;
  const { user: who, session } = viewer;
  // A recovery code is too long to guess, so it works even after too many wrong codes.
  const isGuess = !isRecoveryCode(given);
  if (!isGuess) deps.throttle.tryRecoveryCode(who._id, address);
  const wrongCodes = isGuess ? (await tryCode(deps, ctx, 'APP')).wrongCodes : 0;
  const token = await execute(deps, giveSecondFactor, actorOf(ctx), {
    code: given,
    sessionId: session._id,
  }).catch(async (error: unknown) => {
    if (wrongCodes === notifyAfter) {
      const what = `${wrongCodes} wrong second-factor codes were entered for your account. If it wasn’t you, someone knows your password or can read your email: sign in with a browser you have used before, and change your password.`;
      await notifyOfChange(deps, who, what);
    }
    throw error;
  });
  if (isGuess) await clearCodeTries(deps, ctx);
  await rememberBrowser(deps, ctx);
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  continueTo(ctx, safePath(to), token);
}

async function showEnroll(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const to = safePath(filled.values.to ?? ctx.query.to, '/account');
  if (redirectToProof(ctx, deps, to)) return;
  const { _id, email } = ctx.state.viewer.user;
  // After a wrong code, the app still has this secret, so the form shows it again.
  const kept = ctx.state.form?.sealedSecret;
  const secret = (typeof kept === 'string' && openCodeSecret(deps, _id, kept)) || newCodeSecret();
  const sealedSecret = sealCodeSecret(deps, _id, secret);
  const qrCode = renderSVG(codeUri(secret, email ?? _id), { border: 1, ecc: 'M' });
  const hasPasskeys = relyingPartyOf(deps.config.portal.url) !== null;
  render(ctx, enrolPage(ctx, { secret, sealedSecret, qrCode, hasPasskeys, to }, filled));
}

async function enroll(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { code: given, sealedSecret, to }: { code: string; sealedSecret: string; to?: string },
): Promise<void> {
  const { user: who, session } = ctx.state.viewer;
  // This code needs no limit: the page shows the secret that it is derived from.
  deps.throttle.tryCode(session._id, waitOr(''));
  const secret = openCodeSecret(deps, who._id, sealedSecret);
  const step = secret === null ? null : stepOfCode(secret, given, deps.now());
  if (secret === null || step === null) {
    throw new FieldError('code', 'Wrong code. Enter the six digits that your app shows now.');
  }
  const codes = await execute(deps, enrollOwnFactor, actorOf(ctx), {
    sessionId: session._id,
    secret,
    step,
  });
  await rememberBrowser(deps, ctx);
  await strengthen(deps, ctx);
  await reveal(deps, ctx, { kind: 'CODES', codes, to: safePath(to, '/account') }, enrolling.path);
}

/**
 * Redirects users who must first give their second factor, or verify their email, before they set up another.
 * @returns whether it did
 */
export function redirectToProof(
  ctx: PageContext<'user'>,
  { now }: PageDeps,
  to: string,
  enrolPath: string = enrolling.path,
): boolean {
  const { user: who, session } = ctx.state.viewer;
  const hasFactor = who.secondFactor !== null;
  const missing = missingForEnrolment({ ...session, hasFactor }, now());
  if (missing === 'FACTOR') redirect(ctx, `${giving.path}?to=${enrolPath}`);
  if (missing === 'EMAIL') redirect(ctx, `${proving.path}?to=${encodeURIComponent(to)}`);
  return missing !== null;
}

function showProve(ctx: PageContext<'user'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, proveEmailPage(ctx, safePath(filled.values.to ?? ctx.query.to, '/account'), filled));
}

async function sendCode(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { to }: { to?: string },
): Promise<void> {
  const { user: who, session } = ctx.state.viewer;
  deps.throttle.tryMailedCode(who._id);
  await execute(deps, sendEmailCode, actorOf(ctx), { sessionId: session._id });
  const back = encodeURIComponent(safePath(to, '/account'));
  redirect(ctx, `${proving.path}?to=${back}`, 'The code is on its way.');
}

async function prove(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { code, to }: { code: string; to?: string },
): Promise<void> {
  const { session } = ctx.state.viewer;
  await tryCode(deps, ctx, 'MAILED');
  await execute(deps, proveEmail, actorOf(ctx), { sessionId: session._id, code });
  await clearCodeTries(deps, ctx);
  redirect(ctx, `${enrolling.path}?to=${encodeURIComponent(safePath(to, '/account'))}`);
}
