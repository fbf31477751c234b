import type { Mode } from '../../../domain/mode.ts';
import { webhookEventTypes } from '../../../domain/webhooks.ts';
import type { WebhookEndpointDoc } from '../../../models/schemas/webhook-endpoint.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { webhooksOf } from '../../routing/webhook-modes.ts';
import { section } from '../components.ts';
import { type Choice, confirm, field, form, select, tickList } from '../form.ts';
import { type Html, html, type Part } from '../html.ts';
import { type Page, page } from '../view.ts';
import { crumbsOfEndpoint, webhookCrumbs } from './webhooks.ts';

type PartnerContext = PageContext<'partner'>;

export function newWebhookPage(ctx: PartnerContext, mode: Mode, filled: Filled): Page {
  return page(
    {
      ...{ title: `New ${mode} endpoint`, crumbs: webhookCrumbs, mode },
      lead: 'The next page shows its signing secret, once. Have your secret store open.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${webhooksOf(mode)}/new`, submit: 'Create the endpoint', filled },
      endpointFields(filled),
    )}</div>`,
  );
}

function endpointFields(filled: Filled): Html {
  return html`${field({
    ...{ name: 'url', label: 'Address', filled, isRequired: true, maxLength: 2_048 },
    ...{ autocomplete: 'off', placeholder: 'https://shop.example/hooks/rewards' },
    hint: 'Reached over HTTPS from the public internet.',
  })}${field({
    ...{ name: 'description', label: 'Description', filled, maxLength: 200 },
    hint: 'For you and your team.',
  })}${tickList({
    ...{ name: 'eventTypes', label: 'Events', filled },
    hint: 'Tick none to be told of everything, also of kinds that come later.',
    choices: webhookEventTypes
      .filter((type) => type !== 'test.ping')
      .map((value) => ({ value, text: html`<code>${value}</code>` })),
  })}`;
}

export function webhookSettingsPage(
  ctx: PartnerContext,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
): Page {
  const { _id, mode, status } = endpoint;
  const path = `${webhooksOf(mode)}/${_id}`;
  return page(
    { title: 'Settings', mode, crumbs: crumbsOfEndpoint(endpoint) },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/settings`, submit: 'Save', filled },
      endpointFields(filled),
    )}</div>`,
    section(
      'Rotate the secret',
      html`<p>The next page shows a new secret, once. For a day, webhooks are also signed with the old one, so your receiver can switch without missing any.</p>`,
      confirm(ctx, {
        ...{ action: `${path}/rotate`, submit: 'Create a new secret', isDangerous: false },
        ...{
          ask: 'Rotate …',
          question: 'Meanwhile, your receiver should accept either of the two.',
        },
      }),
    ),
    status === 'ACTIVE'
      ? section(
          'Pause',
          html`<p>Events wait, for up to thirty days, until you resume it.</p>`,
          form(ctx, { action: `${path}/pause`, submit: 'Pause' }),
        )
      : section(
          'Resume',
          html`<p>${status === 'PAUSED' ? 'What waits is sent at once.' : 'It is told of what happens from then on; what was given up on can be sent again.'}</p>`,
          form(ctx, { action: `${path}/resume`, submit: 'Resume' }),
        ),
    section(
      'Delete',
      html`<p>Waiting events are deleted with it; what was sent stays readable for its thirty days.</p>`,
      confirm(ctx, {
        ...{ action: `${path}/delete`, submit: 'Delete the endpoint', ask: 'Delete …' },
        question: 'Its secret stops working, and it receives no more events.',
      }),
    ),
  );
}

const resendChoices: readonly Choice[] = [
  { value: 'failed', text: 'Failed deliveries' },
  { value: 'all', text: 'Everything, including what arrived' },
];

/** @param more where the range goes on that was just asked for */
export function resendPage(
  ctx: PartnerContext,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  most: number,
): Page {
  const { _id, mode } = endpoint;
  const lead: Part = `After an outage: at most ${most.toLocaleString('en-US')} at once, oldest first, each with its original id. A receiver that handles each id once does nothing twice.`;
  return page(
    { title: 'Resend a range', mode, crumbs: crumbsOfEndpoint(endpoint), lead },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${webhooksOf(mode)}/${_id}/resend`, submit: 'Send again', filled },
      select({
        ...{ name: 'which', label: 'Which', filled, chosen: 'failed', choices: resendChoices },
      }),
      field({
        ...{ name: 'from', label: 'From (UTC)', type: 'datetime-local', filled, isRequired: true },
      }),
      field({
        ...{ name: 'until', label: 'Until (UTC)', type: 'datetime-local', filled },
        hint: 'Leave it empty for everything since.',
      }),
    )}</div>`,
  );
}
