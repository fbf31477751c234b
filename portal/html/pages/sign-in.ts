import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { linkButton } from '../components.ts';
import { field, form, hidden } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

/** @param to the page to continue to */
export function signInPage(ctx: PageContext<'public'>, to: string, filled: Filled): Page {
  return page(
    { title: say('signIn.title'), lead: say('signIn.lead') },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/sign-in', submit: say('signIn.submit'), filled },
      hidden('to', to),
      field({
        name: 'email',
        label: say('common.email'),
        type: 'email',
        autocomplete: 'username',
        filled,
        isRequired: true,
        maxLength: 255,
        autofocus: true,
      }),
      field({
        name: 'password',
        label: say('signIn.password'),
        type: 'password',
        filled,
        autocomplete: 'current-password',
        isRequired: true,
      }),
    )}<p class="muted after">${say('signIn.text', { link: tags.link('/sign-in/link') })}</p></div>`,
  );
}

export function askForLinkPage(ctx: PageContext<'public'>, filled: Filled): Page {
  return page(
    {
      title: say('signIn.askForLink.title'),
      lead: say('signIn.askForLink.lead'),
      crumbs: [[say('signIn.signIn'), '/sign-in']],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/sign-in/link', submit: say('signIn.askForLink.submit'), filled },
      field({
        name: 'email',
        label: say('common.email'),
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
    { title: say('signIn.linkSent.title'), crumbs: [[say('signIn.signIn'), '/sign-in']] },
    html`<div class="card narrow"><p>${say('signIn.linkSent.addressAccount')}</p>
<p class="muted after">${say('signIn.linkSent.nothingCheck', { link: tags.link('/sign-in/link') })}</p></div>`,
  );
}

export function takeLinkPage(ctx: PageContext<'public'>): Page {
  return page(
    { title: say('signIn.takeLink.title') },
    html`<div class="card narrow"><p>${say('signIn.takeLink.text')}</p>${form(ctx, {
      action: ctx.path,
      submit: say('signIn.takeLink.submit'),
    })}</div>`,
  );
}

export function linkIsOverPage(): Page {
  return page(
    { title: say('signIn.linkIsOver.title') },
    html`<div class="card narrow"><p>${say('signIn.linkIsOver.text')}</p>
<p class="after">${linkButton('/sign-in/link', say('signIn.sendAnotherOne'))}</p></div>`,
  );
}
