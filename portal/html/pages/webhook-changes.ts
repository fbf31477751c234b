import type { Mode } from '../../../domain/mode.ts';
import { webhookEventTypes } from '../../../domain/webhooks.ts';
import type { WebhookEndpointDoc } from '../../../models/schemas/webhook-endpoint.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { webhooksOf } from '../../routing/webhook-modes.ts';
import { say } from '../../words/say.ts';
import { section } from '../components.ts';
import { type Choice, confirm, field, form, select, tickList } from '../form.ts';
import { type Html, html, type Part } from '../html.ts';
import { type Page, page } from '../view.ts';
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
      title: say('webhookChanges.newWebhook.title', { mode }),
      crumbs: webhookCrumbs(),
      mode,
      lead: say('webhookChanges.newWebhook.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: `${webhooksOf(mode)}/new`,
        submit: say('webhookChanges.newWebhook.submit'),
        filled,
      },
      endpointFields(filled, canBeLocal),
    )}</div>`,
  );
}

function endpointFields(filled: Filled, canBeLocal: boolean): Html {
  return html`${field({
    name: 'url',
    label: say('webhookChanges.url'),
    filled,
    isRequired: true,
    maxLength: 2_048,
    autocomplete: 'off',
    placeholder: 'https://shop.example/hooks/rewards',
    hint: canBeLocal ? say('webhookChanges.url.hint.local') : say('webhookChanges.url.hint'),
  })}${field({
    name: 'description',
    label: say('webhookChanges.description'),
    filled,
    maxLength: 200,
    hint: say('webhookChanges.description.hint'),
  })}${tickList({
    name: 'eventTypes',
    label: say('common.events'),
    filled,
    hint: say('webhookChanges.eventTypes.hint'),
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
  const path = `${webhooksOf(mode)}/${_id}`;
  return page(
    {
      title: say('webhookChanges.webhookSettings.title'),
      mode,
      crumbs: crumbsOfEndpoint(endpoint),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/settings`, submit: say('common.button.save'), filled },
      endpointFields(filled, canBeLocal),
    )}</div>`,
    rotateSection(ctx, path),
    status === 'ACTIVE' ? pauseSection(ctx, path) : resumeSection(ctx, path, status),
    deleteSection(ctx, path),
  );
}

function rotateSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    say('webhookChanges.section.rotateTheSecret'),
    html`<p>${say('webhookChanges.webhookSettings.nextPage')}</p>`,
    confirm(ctx, {
      action: `${path}/rotate`,
      submit: say('webhookChanges.webhookSettings.submit'),
      isDangerous: false,
      ask: say('webhookChanges.webhookSettings.ask'),
      question: say('webhookChanges.webhookSettings.question'),
    }),
  );
}

function pauseSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    say('webhookChanges.section.pause'),
    html`<p>${say('webhookChanges.webhookSettings.eventsWait')}</p>`,
    form(ctx, {
      action: `${path}/pause`,
      submit: say('webhookChanges.webhookSettings.submit.pause'),
    }),
  );
}

function resumeSection(
  ctx: PageContext<'partner'>,
  path: string,
  status: WebhookEndpointDoc['status'],
): Html {
  return section(
    say('webhookChanges.section.resume'),
    html`<p>${status === 'PAUSED' ? say('webhookChanges.webhookSettings.waitsSent') : say('webhookChanges.webhookSettings.receivesAgain')}</p>`,
    form(ctx, {
      action: `${path}/resume`,
      submit: say('webhookChanges.webhookSettings.submit.resume'),
    }),
  );
}

function deleteSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    say('webhookChanges.section.delete'),
    html`<p>${say('webhookChanges.webhookSettings.waitingEvents')}</p>`,
    confirm(ctx, {
      action: `${path}/delete`,
      submit: say('webhookChanges.webhookSettings.submit.deleteEndpoint'),
      ask: say('webhookChanges.webhookSettings.ask.delete'),
      question: say('webhookChanges.webhookSettings.question.secretStops'),
    }),
  );
}

const resendChoices = (): readonly Choice[] => [
  { value: 'failed', text: say('webhookChanges.choice.failed') },
  { value: 'all', text: say('webhookChanges.choice.all') },
];

/** @param most how many webhooks can be resent at once */
export function resendPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  most: number,
): Page {
  const { _id, mode } = endpoint;
  const lead: Part = say('webhookChanges.resend.text', {
    most: most.toLocaleString('en-US'),
  });
  return page(
    { title: say('webhookChanges.resend.title'), mode, crumbs: crumbsOfEndpoint(endpoint), lead },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: `${webhooksOf(mode)}/${_id}/resend`,
        submit: say('webhookChanges.resend.submit'),
        filled,
      },
      select({
        name: 'which',
        label: say('webhookChanges.which'),
        filled,
        chosen: 'failed',
        choices: resendChoices(),
      }),
      field({
        name: 'from',
        label: say('webhookChanges.from'),
        type: 'datetime-local',
        filled,
        isRequired: true,
      }),
      field({
        name: 'until',
        label: say('webhookChanges.until'),
        type: 'datetime-local',
        filled,
        hint: say('webhookChanges.until.hint'),
      }),
    )}</div>`,
  );
}
