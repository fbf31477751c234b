import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { field, form } from './form.ts';
import { type Html, html } from './format.ts';

/** The form that finds a customer by a contact, which it keeps out of every address. */
export const customerSearch = (ctx: Pick<PageContext, 'path' | 'state'>, filled: Filled): Html =>
  html`<div class="card narrow">${form(
    ctx,
    { action: ctx.path, submit: 'Find', filled },
    field({
      name: 'contact',
      label: 'Email or phone',
      filled,
      isRequired: true,
      maxLength: 255,
      autocomplete: 'off',
    }),
  )}</div>`;
