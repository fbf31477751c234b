import Joi from 'joi';
import { renderSVG } from 'uqr';
import { isRecoveryCode, missingForEnrolment } from '../../domain/partners.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import {
  enrollOwnFactor,
  giveSecondFactor,
  notifyOfChange,
  proveEmail,
  sendEmailCode,
} from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { codeUri, newCodeSecret, stepOfCode } from '../../platform/hashing.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { code } from '../components/components.ts';
import { field, form, formBehind, hidden } from '../components/form.ts';
import { html, nothing } from '../components/format.ts';
import { passkeyFields } from '../components/passkeys.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect, type Viewer } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { isHalfSignedIn } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo, isCarryingOn } from '../session/carry-on.ts';
import { reveal } from '../session/reveal.ts';
import {
  clearCodeTries,
  openCodeSecret,
  rememberBrowser,
  sealCodeSecret,
  strengthen,
  tryCode,
} from '../session/second-factor.ts';
import { sessionCookie } from '../session/sign-in.ts';
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

const givePath = '/second-factor';

const provePath = `${givePath}/email`;

const enrollPath = `${givePath}/enroll`;

/** Entering and setting up the second factor. */
export function secondFactorPages(routes: RoutesOf<'user'>): void {
  routes.page(givePath, showGive);
  routes.action(givePath, { schema: giveSchema, act: give, retry: showGive });
  routes.page(provePath, showProve);
  routes.action(provePath, { schema: sendSchema, act: sendCode, retry: showProve });
  routes.action(`${provePath}/code`, { schema: giveSchema, act: prove, retry: showProve });
  routes.page(enrollPath, showEnroll);
  routes.action(enrollPath, { schema: enrollSchema, act: enroll, retry: showEnroll });
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
  else redirect(ctx, `${enrollPath}?to=${encodeURIComponent(to)}`);
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
  await reveal(deps, ctx, { kind: 'CODES', codes, to: safePath(to, '/account') }, enrollPath);
}

/**
 * Redirects users who must first give their second factor, or verify their email, before they set up another.
 * @returns whether it did
 */
export function redirectToProof(
  ctx: PageContext<'user'>,
  { now }: PageDeps,
  to: string,
  enrolPath: string = enrollPath,
): boolean {
  const { user: who, session } = ctx.state.viewer;
  const hasFactor = who.secondFactor !== null;
  const missing = missingForEnrolment({ ...session, hasFactor }, now());
  if (missing === 'FACTOR') redirect(ctx, `${givePath}?to=${enrolPath}`);
  if (missing === 'EMAIL') redirect(ctx, `${provePath}?to=${encodeURIComponent(to)}`);
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
  redirect(ctx, `${provePath}?to=${back}`, 'The code is on its way.');
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
  redirect(ctx, `${enrollPath}?to=${encodeURIComponent(safePath(to, '/account'))}`);
}

interface GiveOptions {
  secondFactor: NonNullable<UserDoc['secondFactor']>;
  /** Whether passkeys work at the portal's address. */
  hasPasskeys: boolean;
  /** The page to continue to. */
  to: string;
  filled: Filled;
}

function giveFactorPage(
  ctx: PageContext<'user'>,
  { secondFactor: { sealedSecret, passkeys = [] }, hasPasskeys, to, filled }: GiveOptions,
): Page {
  const isSigningIn = isHalfSignedIn(ctx.state.viewer);
  const usesPasskey = hasPasskeys && passkeys.length > 0;
  const why = isSigningIn
    ? 'Enter your second factor to sign in.'
    : isCarryingOn(to)
      ? 'It changes LIVE keys, money or access. Then what you sent is carried out.'
      : 'The next page changes LIVE keys, money or access.';
  // Both forms are on the page, and one was sent.
  const [ofPasskey, ofCode] =
    'credential' in filled.values ? [filled, emptyForm] : [emptyForm, filled];
  const code = [hidden('to', to), codeField(ofCode, codeHint(sealedSecret !== null), !usesPasskey)];
  const sendCode = { action: '/second-factor', submit: 'Continue', filled: ofCode };
  return page(
    { title: 'Confirm it’s you', lead: why },
    html`<div class="card narrow">${
      usesPasskey
        ? html`${form(
            ctx,
            { action: '/second-factor/passkey', submit: 'Use a passkey', filled: ofPasskey },
            hidden('to', to),
            passkeyFields('GIVE', 'The browser used no passkey. Try again, or enter a code.'),
          )}<div class="after">${formBehind(ctx, { ...sendCode, ask: 'Use a code instead' }, code)}</div>`
        : form(ctx, sendCode, code)
    }${isSigningIn ? nothing : html`<p class="muted after"><a href="/">Not now</a></p>`}</div>`,
  );
}

const codeHint = (hasApp: boolean): string =>
  hasApp
    ? 'The six-digit code from your authenticator app, or a recovery code.'
    : 'A recovery code.';

interface Enrolment {
  /** In the format that authenticator apps accept. */
  secret: string;
  sealedSecret: string;
  /** The secret as an SVG. */
  qrCode: string;
  /** Whether passkeys work at the portal's address. */
  hasPasskeys: boolean;
  to: string;
}

function enrolPage(
  ctx: PageContext<'user'>,
  { secret, sealedSecret, qrCode, hasPasskeys, to }: Enrolment,
  filled: Filled,
): Page {
  const isNeeded = isHalfSignedIn(ctx.state.viewer);
  const source = `data:image/svg+xml;base64,${Buffer.from(qrCode).toString('base64')}`;
  return page(
    {
      title: 'Set up a second factor',
      lead: isNeeded
        ? `${whyNeeded(ctx.state.viewer)} Use an authenticator app on your phone.`
        : 'Use an authenticator app on your phone. Its code protects LIVE keys and money.',
      crumbs: isNeeded ? [] : [['Account', '/account']],
    },
    html`<div class="card narrow"><ol class="steps">
<li>Scan this with an authenticator app, or type the key: ${code(secret, { canCopy: true })}
<p><img class="qr" src="${source}" alt="QR code of the key above" width="200" height="200"></p></li>
<li>Enter the code that the app shows.${form(
      ctx,
      { action: '/second-factor/enroll', submit: 'Set up', filled },
      hidden('to', to),
      hidden('sealedSecret', sealedSecret),
      codeField(filled, 'Six digits.'),
    )}</li></ol>${
      hasPasskeys
        ? html`<p class="muted after">Or use <a href="/second-factor/passkeys/new?to=${encodeURIComponent(to)}">a passkey</a></p>`
        : nothing
    }</div>`,
  );
}

const whyNeeded = ({ kind }: Viewer): string =>
  kind === 'operator'
    ? 'Every operator needs a second factor.'
    : 'Your company is LIVE: everyone on the team needs a second factor.';

/** Verifies that the user can read their email before the first second factor is set up. */
function proveEmailPage(ctx: PageContext<'user'>, to: string, filled: Filled): Page {
  const { user, session } = ctx.state.viewer;
  const isAsked = Boolean(session.emailCode);
  const isNeeded = isHalfSignedIn(ctx.state.viewer);
  const lead =
    'Before a second factor is set up for the first time, we send a code to your address.';
  return page(
    {
      title: 'Confirm by email',
      lead: isNeeded ? `${whyNeeded(ctx.state.viewer)} ${lead}` : lead,
      crumbs: isNeeded ? [] : [['Account', '/account']],
    },
    isAsked
      ? html`<div class="card narrow">${form(
          ctx,
          {
            action: '/second-factor/email/code',
            submit: 'Continue',
            filled,
          },
          hidden('to', to),
          codeField(filled, `It was sent to ${user.email ?? ''} and is valid for 10 minutes.`),
        )}</div>`
      : nothing,
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/second-factor/email',
        submit: isAsked ? 'Send another code' : 'Send a code',
      },
      hidden('to', to),
      isAsked
        ? html`<p>Didn’t get a code?</p>`
        : html`<p>It goes to <strong>${user.email ?? ''}</strong>.</p>`,
    )}</div>`,
  );
}

const codeField = (filled: Filled, hint: string, autofocus = true) =>
  field({
    name: 'code',
    label: 'Code',
    filled,
    hint,
    autocomplete: 'one-time-code',
    isRequired: true,
    maxLength: 40,
    autofocus,
  });
