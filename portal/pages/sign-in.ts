import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { InvitationDoc, UserDoc } from '../../models/schemas/people.ts';
import { code, linkButton, notice } from '../components/components.ts';
import { field, form, formBehind, hidden } from '../components/form.ts';
import { type Html, html, nothing } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext, Viewer } from '../context.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { isHalfSignedIn } from '../middleware/access.ts';
import { isCarryingOn } from '../session/carry-on.ts';
import { passkeyFields } from './passkeys.ts';

interface SignInOptions {
  /** The page to continue to. */
  to: string;
  ways: { hasPasswords: boolean; hasSingleSignOn: boolean };
  filled: Filled;
}

export function signInPage(
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

export function askForLinkPage(ctx: PageContext<'public'>, filled: Filled): Page {
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

export function linkSentPage(): Page {
  return page(
    { title: 'Check your email', crumbs: [['Sign in', '/sign-in']] },
    html`<div class="card narrow"><p>If this address has an account, the link is on its way. It works once, within 15 minutes.</p>
<p class="muted after">Nothing there? Check your spam folder, or <a href="/sign-in/link">send it again</a>.</p></div>`,
  );
}

export function takeLinkPage(ctx: PageContext<'public'>): Page {
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

export function linkIsOverPage(): Page {
  return page(
    { title: 'This link has expired' },
    html`<div class="card narrow"><p>It has already been used, or is older than 15 minutes.</p>
<p class="after">${linkButton('/sign-in/link', 'Send another link')}</p></div>`,
  );
}

interface InvitationOptions {
  invitation: InvitationDoc;
  partner: PartnerDoc;
  hasPasswords: boolean;
  filled: Filled;
}

export function invitationPage(
  ctx: PageContext<'public'>,
  { invitation, partner, hasPasswords, filled }: InvitationOptions,
): Page {
  return page(
    {
      title: `Join ${partner.name}`,
      lead: html`You are invited as ${invitation.role}, and sign in as <strong>${invitation.email}</strong>.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Join', filled },
      field({
        name: 'name',
        label: 'Your name',
        autocomplete: 'name',
        filled,
        isRequired: true,
        maxLength: 100,
      }),
      hasPasswords
        ? field({
            name: 'password',
            label: 'Password',
            type: 'password',
            filled,
            isRequired: true,
            autocomplete: 'new-password',
            hint: 'At least 12 characters.',
          })
        : nothing,
    )}</div>`,
  );
}

interface GiveOptions {
  secondFactor: NonNullable<UserDoc['secondFactor']>;
  /** Whether passkeys work at the portal's address. */
  hasPasskeys: boolean;
  /** The page to continue to. */
  to: string;
  filled: Filled;
}

export function giveFactorPage(
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

export interface Enrolment {
  /** In the format that authenticator apps accept. */
  secret: string;
  sealedSecret: string;
  /** The secret as an SVG. */
  qrCode: string;
  /** Whether passkeys work at the portal's address. */
  hasPasskeys: boolean;
  to: string;
}

export function enrolPage(
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
export function proveEmailPage(ctx: PageContext<'user'>, to: string, filled: Filled): Page {
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
