import { viewingMs } from '../../../../models/identity/viewing.ts';
import type { PartnerDoc } from '../../../../models/schemas/partners.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { form, textArea } from '../../form.ts';
import { html } from '../../html.ts';
import { crumbsOfPartner } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function viewAsPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: 'View as partner',
      crumbs: crumbsOfPartner(partner),
      lead: `You see the portal as a viewer of ${partner.name} does, for up to ${viewingMs / 60_000} minutes. You can’t change anything, and the operators’ pages stay closed until you stop viewing.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'View portal', filled },
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 3,
        hint: 'Recorded in the audit log, with the start and end of the view. Name no customer.',
      }),
    )}</div>`,
  );
}
