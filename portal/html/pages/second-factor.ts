import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { isHalfSignedIn } from '../../middleware/authorize.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { code } from '../components.ts';
import { field, form, hidden } from '../form.ts';
import { html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

/** @param to the page to continue to */
export function giveFactorPage(ctx: PageContext<'user'>, to: string, filled: Filled): Page {
  const isSigningIn = isHalfSignedIn(ctx.state.viewer);
  return page(
    {
      title: say('secondFactor.giveFactor.title'),
      lead: isSigningIn
        ? say('secondFactor.giveFactor.lead')
        : say('secondFactor.giveFactor.lead.nextPage'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/second-factor', submit: say('secondFactor.giveFactor.submit'), filled },
      hidden('to', to),
      codeField(filled, say('secondFactor.giveFactor.text')),
    )}${isSigningIn ? nothing : html`<p class="muted after"><a href="/">${say('secondFactor.notNow')}</a></p>`}</div>`,
  );
}

export interface Enrolment {
  /** In the format that authenticator apps accept. */
  secret: string;
  sealedSecret: string;
  /** The secret as an SVG. */
  qrCode: string;
  to: string;
}

export function enrolPage(
  ctx: PageContext<'user'>,
  { secret, sealedSecret, qrCode, to }: Enrolment,
  filled: Filled,
): Page {
  const isNeeded = isHalfSignedIn(ctx.state.viewer);
  const source = `data:image/svg+xml;base64,${Buffer.from(qrCode).toString('base64')}`;
  return page(
    {
      title: say('secondFactor.enrol.title'),
      lead: isNeeded
        ? say('secondFactor.enrol.lead', { whyNeeded: whyNeeded() })
        : say('secondFactor.enrol.lead.authenticatorApp'),
      crumbs: isNeeded ? [] : [[say('common.account'), '/account']],
    },
    html`<div class="card narrow"><ol class="steps">
<li>${say('secondFactor.enrol.scanAuthenticator', { secret: code(secret, { canCopy: true }) })}
<p><img class="qr" src="${source}" alt="${say('secondFactor.enrol.qrCode')}" width="200" height="200"></p></li>
<li>${say('secondFactor.enrol.enterCode', {
      form: form(
        ctx,
        { action: '/second-factor/enroll', submit: say('secondFactor.enrol.submit'), filled },
        hidden('to', to),
        hidden('sealedSecret', sealedSecret),
        codeField(filled, say('secondFactor.sixDigits')),
      ),
    })}</li></ol></div>`,
  );
}

const whyNeeded = () => say('secondFactor.whyNeeded.text');

/** Verifies that the user can read their email before the first second factor is set up. */
export function proveEmailPage(ctx: PageContext<'user'>, to: string, filled: Filled): Page {
  const { user, session } = ctx.state.viewer;
  const isAsked = Boolean(session.emailCode);
  const isNeeded = isHalfSignedIn(ctx.state.viewer);
  const lead = say('secondFactor.proveEmail.beforeSecond');
  return page(
    {
      title: say('secondFactor.proveEmail.title'),
      lead: isNeeded ? `${whyNeeded()} ${lead}` : lead,
      crumbs: isNeeded ? [] : [[say('common.account'), '/account']],
    },
    isAsked
      ? html`<div class="card narrow">${form(
          ctx,
          {
            action: '/second-factor/email/code',
            submit: say('secondFactor.proveEmail.submit'),
            filled,
          },
          hidden('to', to),
          codeField(filled, say('secondFactor.proveEmail.sentValid', { email: user.email ?? '' })),
        )}</div>`
      : nothing,
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/second-factor/email',
        submit: isAsked
          ? say('secondFactor.proveEmail.submit.sendAnother')
          : say('secondFactor.proveEmail.submit.sendCode'),
      },
      hidden('to', to),
      isAsked
        ? html`<p>${say('secondFactor.proveEmail.didntGet')}</p>`
        : html`<p>${say('secondFactor.itGoesTo', { strong: tags.strong, email: user.email ?? '' })}</p>`,
    )}</div>`,
  );
}

const codeField = (filled: Filled, hint: string) =>
  field({
    name: 'code',
    label: say('common.code'),
    filled,
    hint,
    autocomplete: 'one-time-code',
    isRequired: true,
    maxLength: 40,
    autofocus: true,
  });
