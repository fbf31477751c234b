import type { Mode } from '../../../domain/mode.ts';
import { dayMs } from '../../../domain/utc-days.ts';
import {
  type DeliveryState,
  deliveryRetentionMs,
  deliveryStates,
  everyEventType,
  type WebhookEventType,
  webhookEventTypes,
} from '../../../domain/webhooks.ts';
import type {
  WebhookAttempt,
  WebhookDeliveryDoc,
} from '../../../models/schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../../../models/schemas/webhook-endpoint.ts';
import type { Deliveries, DeliveryDetails } from '../../../models/views/webhooks.ts';
import type { PageContext } from '../../context.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { webhookPermissionOf, webhooksOf } from '../../routing/webhook-modes.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../components.ts';
import { dayFilters, daysOf } from '../date-presets.ts';
import { answerWords, hostOf } from '../delivery-table.ts';
import { choicesOf, filterBar } from '../filters.ts';
import { form } from '../form.ts';
import { awayTime, exactTime, number, numberText, time, timeAway } from '../format.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { idLink } from '../id-link.ts';
import { linkIfOpen, onwardLinks } from '../onward-links.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';
import { sparkLegend, webhookSpark } from '../webhook-spark.ts';

export const webhookCrumbs = () => [[say('webhooks.webhooks'), '/webhooks']] as const;

export const crumbsOfEndpoint = ({ _id, url }: Pick<WebhookEndpointDoc, '_id' | 'url'>) =>
  [...webhookCrumbs(), [hostOf(url), `/webhooks/${_id}`]] as const;

/** A listening terminal is controlled only from that terminal. */
const mayChange = (
  ctx: PageContext<'partner'>,
  { mode, status }: Pick<WebhookEndpointDoc, 'mode' | 'status'>,
): boolean => status !== 'LISTENING' && hasPermission(ctx.state.viewer, webhookPermissionOf(mode));

export function webhooksPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  endpoints: readonly WebhookEndpointDoc[],
  nowMs: number,
): Page {
  const create = hasPermission(ctx.state.viewer, webhookPermissionOf(mode))
    ? linkButton(`${webhooksOf(mode)}/new`, say('webhooks.newEndpoint', { mode }))
    : nothing;
  return page(
    {
      title: say('webhooks.title'),
      lead: say('webhooks.lead'),
      actions: endpoints.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: say('webhooks.caption'),
      columns: [
        {
          heading: say('webhooks.endpoint'),
          cell: ({ _id, url, description }) =>
            html`<a class="clip" href="/webhooks/${_id}">${hostOf(url)}</a>${description === '' ? nothing : html`<br><span class="muted clip">${description}</span>`}`,
        },
        { heading: say('common.state'), cell: stateBadge },
        { heading: say('common.events'), cell: ({ eventTypes }) => eventsWords(eventTypes) },
        {
          heading: say('webhooks.last48Hours'),
          cell: ({ traffic = {} }) => webhookSpark(traffic, nowMs),
        },
      ],
      rows: endpoints,
      empty: emptyState(
        say('webhooks.empty.title', { mode }),
        say(mode === 'TEST' ? 'webhooks.empty.text.test' : 'webhooks.empty.text'),
        create,
      ),
    })}</section>`,
    section(
      say('webhooks.section.receivingWebhooks'),
      html`<p>${say('webhooks.text', { code: tags.code })}</p>`,
      onwardLinks(ctx, [['/reference', say('webhooks.eventsApi')]]),
    ),
  );
}

/** The state, or "failing". */
function stateBadge({ status, failingSince }: WebhookEndpointDoc): Html {
  return status === 'ACTIVE' && failingSince !== null ? badge('FAILING') : badge(status);
}

const eventsWords = (eventTypes: readonly string[]): Part =>
  eventTypes.includes(everyEventType) ? 'all' : numberText(eventTypes.length);

/** The filters of the deliveries, as in an address. */
export interface DeliveryQuery {
  type?: WebhookEventType;
  state?: DeliveryState;
  /** UTC days, inclusive. */
  from?: string;
  to?: string;
}

export function webhookPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  { items, nextCursor }: Deliveries,
  nowMs: number,
): Page {
  const { _id, mode, url, status, traffic = {} } = endpoint;
  const path = `${webhooksOf(mode)}/${_id}`;
  const isChangeable = mayChange(ctx, endpoint);
  const isNarrowed = ['type', 'state', 'from', 'to'].some((name) => Boolean(ctx.query[name]));
  return page(
    {
      title: hostOf(url),
      crumbs: webhookCrumbs(),
      mode,
      actions: isChangeable
        ? html`${form(ctx, { action: `${path}/ping`, submit: say('webhooks.webhook.submit'), isInline: true })}${linkButton(`${path}/resend`, say('webhooks.resendARange'), 'secondary')}${linkButton(`${path}/settings`, say('webhooks.settings'), 'secondary')}`
        : nothing,
    },
    healthNotice(endpoint, nowMs),
    html`<div class="grid-2">${section(say('webhooks.section.endpoint'), endpointFacts(ctx, endpoint))}${section(
      say('webhooks.section.last48Hours'),
      webhookSpark(traffic, nowMs),
      sparkLegend(traffic, nowMs),
    )}</div>`,
    section(
      say('webhooks.section.deliveries'),
      filterBar(ctx, [
        {
          name: 'type',
          label: say('common.event'),
          choices: choicesOf(webhookEventTypes, (type) => type),
        },
        { name: 'state', label: say('common.state'), choices: choicesOf(deliveryStates, wordsOf) },
        ...dayFilters(),
      ]),
      html`<div id="list">${daysOf(ctx, nowMs)}${deliveryTable(
        items,
        isNarrowed
          ? emptyState(say('webhooks.webhook.empty.title'), say('webhooks.webhook.empty.text'))
          : emptyState(
              say('webhooks.webhook.empty.title.nothingYet'),
              status === 'ACTIVE'
                ? say('webhooks.webhook.empty.text.happensNow')
                : say('webhooks.webhook.empty.text.nothingSent'),
            ),
        nowMs,
      )}${pager(ctx, nextCursor)}</div>`,
      html`<p class="muted after">${say('webhooks.keptForDays', { days: deliveryRetentionMs / dayMs, link: linkIfOpen(ctx, `/webhooks/doctor/${_id}`, say('webhooks.webhook.signatureMatch')) })}</p>`,
    ),
  );
}

function healthNotice(
  { status, disabledReason, failingSince }: WebhookEndpointDoc,
  nowMs: number,
): Html {
  if (status === 'LISTENING') {
    return notice('info', say('webhooks.healthNotice.listeningTerminal'));
  }
  if (status === 'PAUSED') {
    return notice('warn', say('webhooks.healthNotice.pausedEvents'));
  }
  if (status === 'DISABLED') {
    const why =
      disabledReason === 'GONE'
        ? say('webhooks.healthNotice.answered410')
        : say('webhooks.healthNotice.failedFive');
    return notice('bad', say('webhooks.healthNotice.disabledEvents', { why }));
  }
  if (failingSince === null) return nothing;
  return notice(
    'warn',
    say('webhooks.healthNotice.failingSince', { failingSince: timeAway(failingSince, nowMs) }),
  );
}

function endpointFacts(ctx: PageContext<'partner'>, endpoint: WebhookEndpointDoc): Html {
  const { _id, url, description, eventTypes, secrets, createdAt } = endpoint;
  const [newest, before] = secrets;
  return facts([
    [say('common.state'), stateBadge(endpoint)],
    [
      say('webhooks.address'),
      mayChange(ctx, endpoint)
        ? code(url, { canCopy: true })
        : html`${code(hostOf(url))} <span class="muted">${say('webhooks.endpointFacts.pathShown')}</span>`,
    ],
    ...(description === '' ? [] : [[say('webhooks.description'), description] as const]),
    [
      say('common.events'),
      eventTypes.includes(everyEventType)
        ? say('webhooks.endpointFacts.includingFuture')
        : eventTypes.map((type) => html`${code(type)} `),
    ],
    [
      say('webhooks.secret'),
      newest === undefined
        ? html`<span class="muted">${say('webhooks.theTerminalsOwn')}</span>`
        : html`${say('webhooks.created', { createdAt: time(newest?.createdAt) })}${before?.expiresAt ? say('webhooks.endpointFacts.beforeSigns', { expiresAt: time(before.expiresAt) }) : nothing}`,
    ],
    [say('common.created'), time(createdAt)],
    [say('common.id'), code(_id, { canCopy: true })],
  ]);
}

function deliveryTable(
  deliveries: readonly WebhookDeliveryDoc[],
  empty: Html,
  nowMs: number,
): Html {
  return table({
    caption: say('webhooks.deliveryTable.caption'),
    columns: [
      {
        heading: say('common.when'),
        cell: ({ _id, createdAt }) =>
          html`<a href="/webhooks/deliveries/${_id}">${exactTime(createdAt)}</a>`,
      },
      { heading: say('common.event'), cell: ({ type }) => code(type) },
      { heading: say('common.state'), cell: ({ state }) => badge(state) },
      { heading: say('webhooks.lastAnswer'), cell: ({ history }) => answerWords(history.at(-1)) },
      {
        heading: say('webhooks.tries'),
        cell: ({ history }) => number(history.length),
        isNumber: true,
      },
      {
        heading: say('webhooks.nextTry'),
        cell: ({ nextTryAt }) => (nextTryAt ? awayTime(nextTryAt, nowMs) : nothing),
      },
      { heading: say('webhooks.about'), cell: ({ rewardId }) => aboutReward(rewardId) },
    ],
    rows: deliveries,
    empty,
  });
}

const aboutReward = (rewardId: string | null): Part =>
  rewardId === null ? html`<span class="muted">–</span>` : idLink(rewardId);

export function deliveryPage(
  ctx: PageContext<'partner'>,
  { delivery, endpoint }: DeliveryDetails,
  nowMs: number,
): Page {
  const { _id, mode, type, eventId, state, nextTryAt, deliveredAt, history, rewardId } = delivery;
  const isResendable = endpoint !== null && mayChange(ctx, endpoint);
  return page(
    {
      title: type,
      mode,
      crumbs: endpoint === null ? webhookCrumbs() : crumbsOfEndpoint(endpoint),
      actions: isResendable
        ? form(ctx, {
            action: `${webhooksOf(mode)}/deliveries/${_id}/resend`,
            isInline: true,
            submit:
              state === 'PENDING'
                ? say('webhooks.delivery.submit')
                : say('webhooks.delivery.submit.sendAgain'),
          })
        : nothing,
    },
    section(
      say('webhooks.section.delivery'),
      facts([
        [say('common.state'), badge(state)],
        [
          say('webhooks.endpoint'),
          endpoint === null
            ? html`<span class="muted">${say('webhooks.deleted')}</span>`
            : html`<a href="/webhooks/${endpoint._id}">${hostOf(endpoint.url)}</a>`,
        ],
        [say('common.reward'), aboutReward(rewardId)],
        [say('common.event'), code(eventId, { canCopy: true })],
        [say('webhooks.intoTheOutbox'), time(delivery.createdAt)],
        [say('webhooks.delivered'), time(deliveredAt, say('webhooks.notYet'))],
        ...(nextTryAt ? [[say('webhooks.nextTry'), timeAway(nextTryAt, nowMs)] as const] : []),
        [say('common.id'), code(_id, { canCopy: true })],
      ]),
    ),
    html`<div class="grid-2">${section(
      say('webhooks.section.request'),
      html`<p class="muted">${say('webhooks.delivery.text', { code: tags.code, eventId })}</p>`,
      codeBlock(JSON.stringify(JSON.parse(delivery.body), null, 2), say('webhooks.request')),
    )}${section(say('webhooks.section.tries'), tries(history))}</div>`,
  );
}

function tries(history: readonly WebhookAttempt[]): Html {
  if (history.length === 0) {
    return emptyState(say('webhooks.tries.empty.title'), say('webhooks.tries.empty.text'));
  }
  return html`<ol class="timeline">${history.toReversed().map(
    (tried) =>
      html`<li class="moment"><p>${tried.status === null ? say('webhooks.noAnswer', { error: code(tried.error ?? 'none') }) : say('webhooks.answered', { status: number(tried.status) })} ${say('webhooks.afterMs', { durationMs: numberText(tried.durationMs) })}</p>
<p class="moment-when">${exactTime(tried.at)}</p>
${tried.answer === '' ? nothing : html`<details><summary>${say('webhooks.answer')}</summary>${codeBlock(tried.answer, say('webhooks.answer'))}</details>`}</li>`,
  )}</ol>`;
}
