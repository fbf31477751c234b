import { viewingMs } from '../../../../models/identity/viewing.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { say } from '../../../words/say.ts';
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
      title: say('admin.viewAs.title'),
      crumbs: crumbsOfPartner(partner),
      lead: say('admin.viewAs.lead', { name: partner.name, viewingMs: viewingMs / 60_000 }),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('admin.viewAs.submit'), filled },
      textArea({
        name: 'reason',
        label: say('common.reason'),
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 3,
        hint: say('admin.viewAs.reason.hint'),
      }),
    )}</div>`,
  );
}
