import type { WebhookFinding } from '../../clients/typescript/doctor/index.ts';
import type { Mode } from '../../domain/mode.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { badge, linkButton, section } from '../components/components.ts';
import { field, form, textArea } from '../components/form.ts';
import { html, nothing } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import { endpointFields } from '../components/webhook-forms.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { crumbsOfEndpoint, webhookCrumbs } from './webhooks.ts';

/** @param canBeLocal whether endpoints on this machine are allowed */
export function newWebhookPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  filled: Filled,
  canBeLocal: boolean,
): Page {
  return page(
    {
      title: `New ${mode} endpoint`,
      crumbs: webhookCrumbs(),
      mode,
      lead: 'The next page shows its signing secret, once. Have your secret store ready.',
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/webhooks/new',
        submit: 'Create endpoint',
        filled,
      },
      endpointFields(filled, canBeLocal),
    )}</div>`,
  );
}

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
