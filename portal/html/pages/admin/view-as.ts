import { viewingMs } from '../../../../models/identity/viewing.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
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
      title: 'View as their viewer',
      crumbs: crumbsOfPartner(partner),
      lead: `You see the portal as a viewer of ${partner.name} does, for ${viewingMs / 60_000} minutes at most. You can change nothing, and the operators’ pages are shut until you leave the view.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'View the portal', filled },
      textArea({
        ...{ name: 'reason', label: 'Reason', filled, isRequired: true, maxLength: 500, rows: 3 },
        hint: 'The audit log keeps it, with when the view began and ended. Name no customer.',
      }),
    )}</div>`,
  );
}
