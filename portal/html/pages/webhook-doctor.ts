import type { WebhookFinding } from '../../../clients/typescript/doctor/index.ts';
import type { WebhookEndpointDoc } from '../../../models/schemas/webhook-endpoint.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
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
      title: say('webhookDoctor.title'),
      mode,
      crumbs: crumbsOfEndpoint(endpoint),
      lead: say('webhookDoctor.lead'),
    },
    findings
      ? section(
          say('webhookDoctor.section.whatWeFound'),
          html`<ul class="findings">${findings.map(
            ({ isWrong, what, advice }) =>
              html`<li><p class="finding-what">${badge(isWrong ? 'REFUSED' : 'OK', isWrong ? 'wrong' : 'fine')} ${what}</p><p>${advice}</p></li>`,
          )}</ul>`,
        )
      : nothing,
    section(
      say('webhookDoctor.section.theWebhook'),
      form(
        ctx,
        { action: `/webhooks/doctor/${_id}`, submit: say('webhookDoctor.submit'), filled },
        textArea({
          name: 'headers',
          label: say('webhookDoctor.headers'),
          rows: 5,
          filled,
          isRequired: true,
          hint: say('webhookDoctor.headers.hint'),
          maxLength: 8_000,
        }),
        textArea({
          name: 'body',
          label: say('webhookDoctor.body'),
          rows: 6,
          filled,
          isRequired: true,
          hint: say('webhookDoctor.body.hint'),
          maxLength: 20_000,
        }),
        field({
          name: 'computed',
          label: say('webhookDoctor.computed'),
          filled,
          maxLength: 512,
          autocomplete: 'off',
          hint: say('webhookDoctor.computed.hint'),
        }),
      ),
    ),
    html`<p class="way-on">${linkButton(`/webhooks/${_id}`, say('webhookDoctor.whatWasSent'), 'secondary')} <a href="/reference">${say('webhookDoctor.apiReference')}</a></p>`,
  );
}
