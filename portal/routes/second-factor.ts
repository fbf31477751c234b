import Joi from 'joi';
import { renderSVG } from 'uqr';
import { isRecoveryCode, missingForEnrolment } from '../../domain/partners.ts';
import {
  enrollOwnFactor,
  giveSecondFactor,
  notifyOfChange,
  proveEmail,
  sendEmailCode,
} from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { codeUri, newCodeSecret, stepOfCode } from '../../platform/hashing.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { enrolPage, giveFactorPage, proveEmailPage } from '../html/pages/second-factor.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { reveal } from '../session/reveal.ts';
import {
  clearCodeTries,
  openCodeSecret,
  rememberBrowser,
  sealCodeSecret,
  strengthen,
  tryCode,
} from '../session/second-factor.ts';
import { sessionCookie } from '../session/session-cookie.ts';
import { waitOr } from '../session/throttle.ts';

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

function showGive(ctx: PageContext<'user'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  const to = safePath(filled.values.to ?? ctx.query.to);
  if (ctx.state.viewer.user.secondFactor) render(ctx, giveFactorPage(ctx, to, filled));
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
  redirect(ctx, safePath(to));
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
  render(ctx, enrolPage(ctx, { secret, sealedSecret, qrCode, to }, filled));
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
  const step = secret === null ? null : stepOfCode(secret, given.replace(/\s/g, ''), deps.now());
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
function redirectToProof(ctx: PageContext<'user'>, { now }: PageDeps, to: string): boolean {
  const { user: who, session } = ctx.state.viewer;
  const hasFactor = who.secondFactor !== null;
  const missing = missingForEnrolment({ ...session, hasFactor }, now());
  if (missing === 'FACTOR') redirect(ctx, `${giving.path}?to=${enrolling.path}`);
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
