import type { WebhookFinding } from '../../clients/typescript/doctor/index.ts';
import type { Mode } from '../../domain/mode.ts';
import { webhookEventTypes } from '../../domain/webhooks.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { badge, linkButton, section } from '../components/components.ts';
import {
  type Choice,
  confirm,
  field,
  form,
  select,
  textArea,
  tickList,
} from '../components/form.ts';
import { type Html, html, nothing, type Part } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
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

function endpointFields(filled: Filled, canBeLocal: boolean): Html {
  return html`${field({
    name: 'url',
    label: 'URL',
    filled,
    isRequired: true,
    maxLength: 2_048,
    autocomplete: 'off',
    placeholder: 'https://shop.example/hooks/rewards',
    hint: canBeLocal
      ? 'Must be reachable over HTTPS from the public internet, or be on this machine, such as http://localhost:4000/hook.'
      : 'Must be reachable over HTTPS from the public internet.',
  })}${field({
    name: 'description',
    label: 'Description',
    filled,
    maxLength: 200,
    hint: 'For you and your team.',
  })}${tickList({
    name: 'eventTypes',
    label: 'Events',
    filled,
    hint: 'Select none to receive all types, including those added later.',
    choices: webhookEventTypes
      .filter((type) => type !== 'test.ping')
      .map((value) => ({ value, text: html`<code>${value}</code>` })),
  })}`;
}

export function webhookSettingsPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  canBeLocal: boolean,
): Page {
  const { _id, mode, status } = endpoint;
  const path = `/webhooks/${_id}`;
  return page(
    {
      title: 'Settings',
      mode,
      crumbs: crumbsOfEndpoint(endpoint),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/settings`, submit: 'Save', filled },
      endpointFields(filled, canBeLocal),
    )}</div>`,
    rotateSection(ctx, path),
    status === 'ACTIVE' ? pauseSection(ctx, path) : resumeSection(ctx, path, status),
    deleteSection(ctx, path),
  );
}

function rotateSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    'Rotate secret',
    html`<p>The next page shows a new secret, once. For a day, webhooks are also signed with the old one, so your receiver can switch without missing any.</p>`,
    confirm(ctx, {
      action: `${path}/rotate`,
      submit: 'Create new secret',
      isDangerous: false,
      ask: 'Rotate …',
      question:
        'Update your receiver within a day: after that, webhooks are signed with the new secret only.',
    }),
  );
}

function pauseSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    'Pause',
    html`<p>Events wait for up to 30 days, until you resume the endpoint.</p>`,
    form(ctx, {
      action: `${path}/pause`,
      submit: 'Pause',
    }),
  );
}

function resumeSection(
  ctx: PageContext<'partner'>,
  path: string,
  status: WebhookEndpointDoc['status'],
): Html {
  return section(
    'Resume',
    html`<p>${status === 'PAUSED' ? 'Waiting events are sent at once.' : 'It receives events from then on. You can resend deliveries that failed permanently.'}</p>`,
    form(ctx, {
      action: `${path}/resume`,
      submit: 'Resume',
    }),
  );
}

function deleteSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    'Delete',
    html`<p>Waiting events are deleted too. What was sent stays readable for 30 days.</p>`,
    confirm(ctx, {
      action: `${path}/delete`,
      submit: 'Delete endpoint',
      ask: 'Delete …',
      question: 'Its secret stops working, and it receives no more events.',
    }),
  );
}

const resendChoices = (): readonly Choice[] => [
  { value: 'failed', text: 'Failed deliveries' },
  { value: 'all', text: 'Everything, including successful deliveries' },
];

/** @param most how many webhooks can be resent at once */
export function resendPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  most: number,
): Page {
  const { _id, mode } = endpoint;
  const lead: Part = `After an outage: up to ${most.toLocaleString('en-US')} at once, oldest first, each with its original ID. A receiver that handles each ID once does nothing twice.`;
  return page(
    { title: 'Resend a range', mode, crumbs: crumbsOfEndpoint(endpoint), lead },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: `/webhooks/${_id}/resend`,
        submit: 'Resend',
        filled,
      },
      select({
        name: 'which',
        label: 'Deliveries',
        filled,
        chosen: 'failed',
        choices: resendChoices(),
      }),
      field({
        name: 'from',
        label: 'Start (UTC)',
        type: 'datetime-local',
        filled,
        isRequired: true,
      }),
      field({
        name: 'until',
        label: 'End (UTC)',
        type: 'datetime-local',
        filled,
        hint: 'Leave it empty for everything since.',
      }),
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
