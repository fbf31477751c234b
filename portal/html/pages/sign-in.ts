import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { linkButton } from '../components.ts';
import { field, form, hidden } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

/** @param to the page to continue to */
export function signInPage(ctx: PageContext<'public'>, to: string, filled: Filled): Page {
  return page(
    { title: 'Sign in', lead: 'For partners and operators.' },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/sign-in', submit: 'Sign in', filled },
      hidden('to', to),
      field({
        name: 'email',
        label: 'Email',
        type: 'email',
        autocomplete: 'username',
        filled,
        isRequired: true,
        maxLength: 255,
        autofocus: true,
      }),
      field({
        name: 'password',
        label: 'Password',
        type: 'password',
        filled,
        autocomplete: 'current-password',
        isRequired: true,
      }),
    )}<p class="muted after">Forgot your password, or don’t have one? <a href="/sign-in/link">Sign in by email</a></p></div>`,
  );
}

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
      field({
        name: 'email',
        label: 'Email',
        type: 'email',
        autocomplete: 'username',
        filled,
        isRequired: true,
        maxLength: 255,
      }),
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
