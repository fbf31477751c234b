import type { WebhookFinding } from '../../../clients/typescript/doctor/index.ts';
import type { WebhookEndpointDoc } from '../../../models/schemas/webhooks.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { badge, linkButton, section } from '../components.ts';
import { field, form, textArea } from '../form.ts';
import { html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';
import { crumbsOfEndpoint } from './webhooks.ts';

export function webhookDoctorPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  findings?: readonly WebhookFinding[],
): Page {
  const { _id, mode } = endpoint;
  return page(
    {
      title: 'Signature does not match?',
      mode,
      crumbs: crumbsOfEndpoint(endpoint),
      lead: 'Paste a webhook as your receiver got it, and we show how it differs from what was sent. None of it is stored.',
    },
    findings
      ? section(
          'What we found',
          html`<ul class="findings">${findings.map(
            ({ isWrong, what, advice }) =>
              html`<li><p class="finding-what">${badge(isWrong ? 'REFUSED' : 'OK', isWrong ? 'wrong' : 'fine')} ${what}</p><p>${advice}</p></li>`,
          )}</ul>`,
        )
      : nothing,
    section(
      'The webhook',
      form(
        ctx,
        { action: `/webhooks/doctor/${_id}`, submit: 'Compare', filled },
        textArea({
          name: 'headers',
          label: 'Headers',
          rows: 5,
          filled,
          isRequired: true,
          hint: 'One per line: “webhook-id: …”. Other headers are ignored.',
          maxLength: 8_000,
        }),
        textArea({
          name: 'body',
          label: 'Body',
          rows: 6,
          filled,
          isRequired: true,
          hint: 'The raw text, as it arrived.',
          maxLength: 20_000,
        }),
        field({
          name: 'computed',
          label: 'The signature your code computes',
          filled,
          maxLength: 512,
          autocomplete: 'off',
          hint: 'Helps us find out what your code signs. Never paste a secret.',
        }),
      ),
    ),
    html`<p class="way-on">${linkButton(`/webhooks/${_id}`, 'What was sent', 'secondary')} <a href="/reference#webhooks">API reference</a></p>`,
  );
}
