import { maxResent, webhookEventTypes } from '../../domain/webhooks.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import type { PageContext } from '../context.ts';
import { emptyForm, type Filled, filledWhere, filledWith } from '../forms/submit.ts';
import { formOfEndpoint } from '../forms/webhook-form.ts';
import { hasPermission } from '../middleware/access.ts';
import { webhookPermissions } from '../routing/modes.ts';
import { type Choice, confirm, field, formBehind, select, tickList } from './form.ts';
import { type Html, html, nothing, numberText } from './format.ts';

export function endpointFields(filled: Filled, canBeLocal: boolean): Html {
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

/** What was entered in a form of an endpoint's page, and whether the endpoint may be on this machine. */
export interface EndpointForms {
  filled: Filled | undefined;
  canBeLocal: boolean;
}

/** Changes of an endpoint's settings, its secret and its state, each in place. */
export function endpointChanges(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  { filled, canBeLocal }: EndpointForms,
): Html {
  const { _id, mode, status } = endpoint;
  const path = `/webhooks/${_id}`;
  const given = filledWhere('url', filled);
  return html`<div class="changes">${formBehind(
    ctx,
    {
      ask: 'Change settings',
      isOpen: given !== emptyForm,
      action: `${path}/settings`,
      submit: 'Save settings',
      filled: given,
    },
    endpointFields(given === emptyForm ? formOfEndpoint(endpoint) : given, canBeLocal),
  )}${confirm(ctx, {
    action: `${path}/rotate`,
    submit: 'Create new secret',
    isDangerous: false,
    ask: 'Rotate secret …',
    question:
      'The next page shows a new secret, once. Update your receiver within a day: until then webhooks are also signed with the old one.',
  })}${
    status === 'ACTIVE'
      ? confirm(ctx, {
          action: `${path}/pause`,
          submit: 'Pause',
          isDangerous: false,
          ask: 'Pause …',
          question: 'Events wait for up to 30 days, until you resume the endpoint.',
        })
      : confirm(ctx, {
          action: `${path}/resume`,
          submit: 'Resume',
          isDangerous: false,
          ask: 'Resume …',
          question:
            status === 'PAUSED'
              ? 'Waiting events are sent at once.'
              : 'It receives events from then on. You can resend deliveries that failed permanently.',
        })
  }${
    mode === 'TEST' && hasPermission(ctx.state.viewer, webhookPermissions.LIVE)
      ? copyForm(ctx, _id)
      : nothing
  }${confirm(ctx, {
    action: `${path}/delete`,
    submit: 'Delete endpoint',
    ask: 'Delete …',
    question:
      'Its secret stops working, it receives no more events, and waiting ones are deleted. What was sent stays readable for 30 days.',
  })}</div>`;
}

/** A button that creates a LIVE endpoint like a TEST one. */
export const copyForm = (ctx: PageContext<'partner'>, endpointId: string): Html =>
  confirm(ctx, {
    action: `/webhooks/${endpointId}/copy`,
    submit: 'Create LIVE endpoint',
    isDangerous: false,
    ask: 'Copy to LIVE …',
    question:
      'This creates a LIVE endpoint with the same URL and events, and a secret of its own, which the next page shows, once.',
  });

const resendChoices = (): readonly Choice[] => [
  { value: 'failed', text: 'Failed deliveries' },
  { value: 'all', text: 'Everything, including successful deliveries' },
];

/** @param nowMs sets the suggested start, today */
export function resendForm(
  ctx: PageContext<'partner'>,
  { _id }: WebhookEndpointDoc,
  filled: Filled | undefined,
  nowMs: number,
): Html {
  const given = filledWhere('which', filled);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const shown = given === emptyForm ? filledWith({ from: `${today}T00:00` }) : given;
  return formBehind(
    ctx,
    {
      ask: 'Resend a range',
      isOpen: given !== emptyForm,
      action: `/webhooks/${_id}/resend`,
      submit: 'Resend',
      filled: given,
    },
    html`<p>After an outage: up to ${numberText(maxResent)} at once, oldest first, each with its original ID. A receiver that handles each ID once does nothing twice.</p>`,
    select({
      name: 'which',
      label: 'Deliveries',
      filled: shown,
      chosen: 'failed',
      choices: resendChoices(),
    }),
    field({
      name: 'from',
      id: 'resend-from',
      label: 'Start (UTC)',
      type: 'datetime-local',
      filled: shown,
      isRequired: true,
    }),
    field({
      name: 'until',
      label: 'End (UTC)',
      type: 'datetime-local',
      filled: shown,
      hint: 'Leave it empty for everything since.',
    }),
  );
}
