import type { InvitationDoc } from '../../../models/schemas/invitation.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
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
      title: say('invitations.invitation.title', { name: partner.name }),
      lead: say('invitations.invitation.lead', {
        role: invitation.role,
        strong: tags.strong,
        email: invitation.email,
      }),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('invitations.invitation.submit'), filled },
      field({
        name: 'name',
        label: say('invitations.name'),
        autocomplete: 'name',
        filled,
        isRequired: true,
        maxLength: 100,
      }),
      field({
        name: 'password',
        label: say('invitations.password'),
        type: 'password',
        filled,
        isRequired: true,
        autocomplete: 'new-password',
        hint: say('invitations.password.hint'),
      }),
    )}</div>`,
  );
}
