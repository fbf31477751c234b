import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import type { InvitationDoc } from '../../../models/schemas/people.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { field, form } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

export function invitationPage(
  ctx: PageContext<'public'>,
  invitation: InvitationDoc,
  partner: PartnerDoc,
  filled: Filled,
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
      field({
        name: 'password',
        label: 'Password',
        type: 'password',
        filled,
        isRequired: true,
        autocomplete: 'new-password',
        hint: 'At least 12 characters.',
      }),
    )}</div>`,
  );
}
