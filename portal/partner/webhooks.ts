import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { dayMs } from '../../domain/utc-days.ts';
import {
  deliveryRetentionMs,
  deliveryStates,
  everyEventType,
  webhookEventTypes,
} from '../../domain/webhooks.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { WebhookAttempt, WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { shownSecret } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  resendWebhook,
  resendWebhooks,
  rotateWebhookSecret,
  showWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../operations/webhook-endpoints.ts';
import {
  type Deliveries,
  type DeliveryDetails,
  findOwnWebhookEndpoint,
  readDeliveries,
  readDelivery,
  readWebhookEndpoints,
} from '../../views/webhooks.ts';
import {
  badge,
  code,
  codeBlock,
  definitions,
  emptyState,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { form } from '../components/form.ts';
import {
  awayTime,
  exactTime,
  type Html,
  html,
  nothing,
  number,
  numberText,
  type Part,
  plural,
  time,
  timeAway,
} from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { linkIfOpen, onwardLinks } from '../components/onward-links.ts';
import { answerWords, hostOf } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import {
  copyForm,
  type EndpointForms,
  endpointChanges,
  endpointFields,
  resendForm,
} from '../components/webhook-forms.ts';
import { sparkLegend, webhookSpark } from '../components/webhook-spark.ts';
import { checkedMode, type PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { endpointOfForm, webhookFormSchema } from '../forms/webhook-form.ts';
import { type Asked, asked, choiceFilter, days } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import { modeOf, webhookPermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';
import { showOnce } from './keys.ts';

const path = '/webhooks/:endpointId';

const ofEndpoint = { params: { endpointId: 'webhookEndpoint' } } as const;

const ofDelivery = { params: { deliveryId: 'webhookDelivery' } } as const;

/** A partner's webhook endpoints and their deliveries. */
export function webhookPages(routes: RoutesOf<'partner'>): void {
  routes.page('/webhooks', showEndpoints);
  routes.page('/webhooks/deliveries/:deliveryId', showDelivery, ofDelivery);
  routes.page(path, showEndpoint, ofEndpoint);
}

async function showEndpoints(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const endpoints = await readWebhookEndpoints(deps, ownScope(ctx), mode);
  const isCopied = mode === 'LIVE' && endpoints.length === 0;
  const tested = isCopied ? await readWebhookEndpoints(deps, ownScope(ctx), 'TEST') : [];
  render(ctx, webhooksPage(ctx, mode, endpoints, tested, deps.now()));
}

async function showEndpoint(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const endpoint = await endpointOf(ctx, deps);
  const list = await asked(ctx, deps, deliveryFilters);
  const deliveries = await readDeliveries(deps, endpoint, list.filter, queryOf(ctx, pageSchema));
  const forms = { filled, canBeLocal: canBeLocal(deps, endpoint.mode) };
  render(ctx, webhookPage(ctx, endpoint, list, deliveries, forms));
}

async function showDelivery(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await readDelivery(deps, ownScope(ctx), param(ctx, 'deliveryId'));
  render(ctx, deliveryPage(ctx, found, deps.now()));
}

interface ResendForm {
  which: 'failed' | 'all';
  /** In ISO 8601, like the end. */
  from: string;
  until?: string;
}

/** A `datetime-local` value, in UTC. */
const localTime = Joi.string()
  .pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/)
  .custom((local: string) => new Date(`${local}Z`).toISOString())
  .messages({
    'string.pattern.base': 'Enter a day and a time.',
    'any.custom': 'Enter a day and a time.',
  });

const resendSchema = Joi.object<ResendForm>({
  which: Joi.string().valid('failed', 'all').default('failed'),
  from: localTime.required().messages({ 'any.required': 'Enter a day and a time.' }),
  until: localTime,
});

/** Changes of webhook endpoints: in TEST by developers, in LIVE by owners with the second factor. */
export function webhookChangePages(routes: RoutesOf<'partner'>): void {
  routes.operation('/webhooks/new', createWebhookEndpoint, {
    modeOf,
    page: showNew,
    form: webhookFormSchema,
    input: (typed, ctx) => ({ mode: checkedMode(ctx), ...endpointOfForm(typed) }),
    done: revealSecret,
  });
  routes.operation('/webhooks/deliveries/:deliveryId/resend', resendWebhook, {
    ...ofDelivery,
    modeOf: async (ctx, deps) => (await deliveryOf(ctx, deps)).mode,
    input: async (_nothing, ctx, deps) => ({
      endpointId: (await deliveryOf(ctx, deps)).endpointId,
    }),
    to: '/webhooks/deliveries/:deliveryId',
    said: 'Sent again. Reload the page to see the response.',
  });
  const at = {
    ...ofEndpoint,
    modeOf: async (ctx: PageContext<'partner'>, deps: PageDeps) =>
      (await endpointOf(ctx, deps)).mode,
  };
  routes.operation(`${path}/settings`, updateWebhookEndpoint, {
    ...at,
    on: showEndpoint,
    form: webhookFormSchema,
    input: endpointOfForm,
    to: path,
    said: 'Settings saved.',
  });
  routes.operation(`${path}/rotate`, rotateWebhookSecret, {
    ...at,
    done(ctx, deps, { secret }) {
      const endpoint = { _id: param(ctx, 'endpointId'), mode: checkedMode(ctx) };
      return revealSecret(ctx, deps, { endpoint, secret });
    },
  });
  routes.operation(`${path}/delete`, deleteWebhookEndpoint, {
    ...at,
    to: '/webhooks',
    said: 'Endpoint deleted.',
  });
  routes.operation(`${path}/ping`, testWebhookEndpoint, {
    ...at,
    to: ({ _id }) => `/webhooks/deliveries/${_id}`,
    said: 'A test.ping is on its way. Reload the page to see the response.',
  });
  routes.operation(`${path}/pause`, updateWebhookEndpoint, {
    ...at,
    input: { status: 'PAUSED' },
    to: path,
    said: 'Paused. Events wait until you resume it.',
  });
  routes.operation(`${path}/resume`, updateWebhookEndpoint, {
    ...at,
    input: { status: 'ACTIVE' },
    to: path,
    said: 'Resumed.',
  });
  routes.operation(`${path}/show-secret`, showWebhookSecret, { ...at, done: revealSecret });
  routes.operation(`${path}/resend`, resendWebhooks, {
    ...at,
    on: showEndpoint,
    form: resendSchema,
    input: ({ which, ...range }) => ({
      ...range,
      ...(which === 'failed' && { state: 'FAILED' as const }),
    }),
    to: path,
    said({ resent, next }) {
      const done = `${plural(resent, 'webhook', 'webhooks')} sent again.`;
      return next ? `${done} There are more: resend again from ${next.toISOString()}.` : done;
    },
  });
  // A LIVE endpoint like a TEST one.
  routes.action(
    `${path}/copy`,
    { schema: Joi.object({}), act: copyToLive, retry: showEndpoint },
    { ...ofEndpoint, permission: webhookPermissions.LIVE, secondFactor: true },
  );
}

async function deliveryOf(ctx: PageContext<'partner'>, deps: PageDeps) {
  return (await readDelivery(deps, ownScope(ctx), param(ctx, 'deliveryId'))).delivery;
}

const endpointOf = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode?: Mode,
): Promise<WebhookEndpointDoc> =>
  findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'), mode);

const canBeLocal = ({ config }: PageDeps, mode: Mode): boolean =>
  mode === 'TEST' && config.webhooks.allowLoopback;

function showNew(ctx: PageContext<'partner'>, deps: PageDeps, filled: Filled = emptyForm): void {
  const mode = checkedMode(ctx);
  render(ctx, newWebhookPage(ctx, mode, filled, canBeLocal(deps, mode)));
}

/** Copies a TEST endpoint to LIVE, with a secret of its own. */
async function copyToLive(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partnerId, url, description, eventTypes } = await endpointOf(ctx, deps, 'TEST');
  const fields = { partnerId, mode: 'LIVE' as const, url, description, eventTypes };
  const made = await execute(deps, createWebhookEndpoint, actorOf(ctx), fields);
  await revealSecret(ctx, deps, made);
}

const revealSecret = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  {
    endpoint: { _id, mode },
    secret,
  }: { endpoint: Pick<WebhookEndpointDoc, '_id' | 'mode'>; secret: string | null },
): Promise<void> =>
  reveal(
    deps,
    ctx,
    { kind: 'WEBHOOK_SECRET', mode, secret: shownSecret(secret) },
    `/webhooks/${_id}?mode=${mode}`,
  );

const webhookCrumbs = () => [['Webhooks', '/webhooks']] as const;

export const crumbsOfEndpoint = ({ _id, url }: Pick<WebhookEndpointDoc, '_id' | 'url'>) =>
  [...webhookCrumbs(), [hostOf(url), `/webhooks/${_id}`]] as const;

/** A listening terminal is controlled only from that terminal. */
const mayChange = (
  ctx: PageContext<'partner'>,
  { mode, status }: Pick<WebhookEndpointDoc, 'mode' | 'status'>,
): boolean => status !== 'LISTENING' && hasPermission(ctx.state.viewer, webhookPermissions[mode]);

/** @param tested the TEST endpoints, if there is no LIVE one yet */
function webhooksPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  endpoints: readonly WebhookEndpointDoc[],
  tested: readonly WebhookEndpointDoc[],
  nowMs: number,
): Page {
  const create = hasPermission(ctx.state.viewer, webhookPermissions[mode])
    ? linkButton('/webhooks/new', `New ${mode} endpoint`)
    : nothing;
  return page(
    {
      title: 'Webhooks',
      lead: 'We notify your back end of what happens to each reward: a signed POST to your URL.',
      actions: endpoints.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: 'Webhook endpoints',
      columns: {
        Endpoint: ({ _id, url, description }) =>
          html`<a class="clip" href="/webhooks/${_id}">${hostOf(url)}</a>${description === '' ? nothing : html`<br><span class="muted clip">${description}</span>`}`,
        State: stateBadge,
        Events: ({ eventTypes }) => eventsWords(eventTypes),
        'Last 48 hours': ({ traffic = {} }) => webhookSpark(traffic, nowMs),
      },
      rows: endpoints,
      empty: emptyState(
        `No ${mode} endpoint yet`,
        mode === 'TEST'
          ? 'Its signing secret is shown once, when you create it. On your own machine you need none: “node partner-events.mjs listen --forward-to”, from Quick starts, brings the events to a local port.'
          : 'Its signing secret is shown once, when you create it.',
        create,
      ),
    })}</section>`,
    copySection(ctx, tested),
    section(
      'Receiving webhooks',
      html`<p>Verify the signature over the raw body, respond with 2xx within 15 seconds, and handle each <code>webhook-id</code> once.</p>`,
      onwardLinks(ctx, [['/reference#webhooks', 'The events, in the API reference']]),
    ),
  );
}

/** TEST endpoints, each with a button that creates a LIVE one like it. */
function copySection(ctx: PageContext<'partner'>, tested: readonly WebhookEndpointDoc[]): Html {
  const copied = tested.filter(({ status }) => status !== 'LISTENING');
  if (copied.length === 0 || !hasPermission(ctx.state.viewer, webhookPermissions.LIVE)) {
    return nothing;
  }
  return section(
    'Your TEST endpoints',
    table({
      caption: 'TEST endpoints',
      columns: {
        Endpoint: ({ url }) => html`<span class="clip">${hostOf(url)}</span>`,
        Events: ({ eventTypes }) => eventsWords(eventTypes),
        '': ({ _id }) => copyForm(ctx, _id),
      },
      rows: copied,
    }),
  );
}

/** The state, or "failing". */
function stateBadge({ status, failingSince }: WebhookEndpointDoc): Html {
  return status === 'ACTIVE' && failingSince !== null ? badge('FAILING') : badge(status);
}

const eventsWords = (eventTypes: readonly string[]): Part =>
  eventTypes.includes(everyEventType) ? 'all' : numberText(eventTypes.length);

const deliveryFilters = {
  type: choiceFilter('Event', webhookEventTypes, (type) => type),
  state: choiceFilter('State', deliveryStates),
  ...days,
};

function webhookPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  asked: Asked,
  { items, nextCursor }: Deliveries,
  forms: EndpointForms,
): Page {
  const { nowMs } = asked;
  const { _id, mode, url, status, traffic = {} } = endpoint;
  const path = `/webhooks/${_id}`;
  // A form that is shown again has another path than its page.
  const here = { path, query: ctx.query, state: ctx.state };
  const isChangeable = mayChange(ctx, endpoint);
  return page(
    {
      title: hostOf(url),
      crumbs: webhookCrumbs(),
      mode,
      actions: isChangeable
        ? form(ctx, { action: `${path}/ping`, submit: 'Send test event', isInline: true })
        : nothing,
    },
    healthNotice(endpoint, nowMs),
    html`<div class="grid-2">${section('Endpoint', endpointFacts(ctx, endpoint), isChangeable ? endpointChanges(ctx, endpoint, forms) : nothing)}${section(
      'Last 48 hours',
      webhookSpark(traffic, nowMs),
      sparkLegend(traffic, nowMs),
    )}</div>`,
    section(
      'Deliveries',
      list(here, {
        asked,
        isPart: true,
        caption: 'Deliveries',
        columns: {
          Event: ({ _id, type }) => html`<a href="/webhooks/deliveries/${_id}">${code(type)}</a>`,
          State: ({ state }) => badge(state),
          When: (one) => exactTime(one.createdAt),
          'Last response': ({ history }) => answerWords(history.at(-1)),
          Attempts: { number: ({ history }) => history.length },
          'Next attempt': ({ nextTryAt }) => (nextTryAt ? awayTime(nextTryAt, nowMs) : nothing),
          About: ({ rewardId }) => aboutReward(rewardId),
        },
        rows: items,
        empty: emptyState(
          'No deliveries yet',
          status === 'ACTIVE'
            ? 'Events from now on are sent and appear here with their responses.'
            : 'Nothing has been sent to this endpoint.',
        ),
        nextCursor,
      }),
      html`<p class="muted after">Kept for ${deliveryRetentionMs / dayMs} days. Days are UTC. ${linkIfOpen(ctx, `/webhooks/doctor/${_id}`, 'Signature does not match?')}</p>`,
      isChangeable ? resendForm(ctx, endpoint, forms.filled, nowMs) : nothing,
    ),
  );
}

function healthNotice(
  { status, disabledReason, failingSince }: WebhookEndpointDoc,
  nowMs: number,
): Html {
  if (status === 'LISTENING') {
    return notice('info', 'A terminal on a developer’s machine: it fetches its events.');
  }
  if (status === 'PAUSED') {
    return notice('warn', 'Paused: events wait for this endpoint until it is resumed.');
  }
  if (status === 'DISABLED') {
    const why =
      disabledReason === 'GONE'
        ? 'It responded 410 Gone, which asks us to stop.'
        : 'It failed for five days.';
    return notice(
      'bad',
      `Disabled. ${why} No events are stored for it until it is resumed. Resume it once it works.`,
    );
  }
  if (failingSince === null) return nothing;
  return notice(
    'warn',
    html`It has been failing since ${timeAway(failingSince, nowMs)}. Each delivery is attempted ten times within about 28 hours; after five days of nothing but failures the endpoint is disabled.`,
  );
}

function endpointFacts(ctx: PageContext<'partner'>, endpoint: WebhookEndpointDoc): Html {
  const { _id, url, description, eventTypes, secrets, createdAt } = endpoint;
  const [newest, before] = secrets;
  return definitions([
    ['State', stateBadge(endpoint)],
    [
      'URL',
      mayChange(ctx, endpoint)
        ? code(url, { canCopy: true })
        : html`${code(hostOf(url))} <span class="muted">its path is shown only to those who can change it</span>`,
    ],
    ...(description === '' ? [] : [['Description', description] as const]),
    [
      'Events',
      eventTypes.includes(everyEventType)
        ? 'all, including future types'
        : eventTypes.map((type) => html`${code(type)} `),
    ],
    [
      'Secret',
      newest === undefined
        ? html`<span class="muted">the terminal’s own</span>`
        : html`created ${time(newest?.createdAt)}${before?.expiresAt ? html`; the previous one also signs until ${time(before.expiresAt)}` : nothing}${newest.awaitsOwner && mayChange(ctx, endpoint) ? showOnce(ctx, `/webhooks/${_id}/show-secret`) : nothing}`,
    ],
    ['Created', time(createdAt)],
    ['ID', code(_id, { canCopy: true })],
  ]);
}

const aboutReward = (rewardId: string | null): Part =>
  rewardId === null ? html`<span class="muted">–</span>` : idLink(rewardId);

function deliveryPage(
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
            action: `/webhooks/deliveries/${_id}/resend`,
            isInline: true,
            submit: state === 'PENDING' ? 'Retry now' : 'Resend',
          })
        : nothing,
    },
    section(
      'Delivery',
      definitions([
        ['State', badge(state)],
        [
          'Endpoint',
          endpoint === null
            ? html`<span class="muted">deleted</span>`
            : html`<a href="/webhooks/${endpoint._id}">${hostOf(endpoint.url)}</a>`,
        ],
        ['Reward', aboutReward(rewardId)],
        ['Event', code(eventId, { canCopy: true })],
        ['Queued', time(delivery.createdAt)],
        ['Delivered', time(deliveredAt, 'not yet')],
        ...(nextTryAt ? [['Next attempt', timeAway(nextTryAt, nowMs)] as const] : []),
        ['ID', code(_id, { canCopy: true })],
      ]),
    ),
    html`<div class="grid-2">${section(
      'Request',
      html`<p class="muted">A <code>POST</code> with <code>webhook-id: ${eventId}</code> and, for each attempt, its own <code>webhook-timestamp</code> and <code>webhook-signature</code>. The signed body has no line breaks.</p>`,
      codeBlock(JSON.stringify(JSON.parse(delivery.body), null, 2), 'Request'),
    )}${section('Attempts', tries(history))}</div>`,
  );
}

function tries(history: readonly WebhookAttempt[]): Html {
  if (history.length === 0) {
    return emptyState(
      'Not tried yet',
      'It is sent within a moment, unless its endpoint is paused.',
    );
  }
  return html`<ol class="timeline">${history.toReversed().map(
    (tried) =>
      html`<li class="moment"><p>${tried.status === null ? html`No response: ${code(tried.error ?? 'none')}` : html`Response ${number(tried.status)}`} after ${numberText(tried.durationMs)} ms</p>
<p class="moment-when">${exactTime(tried.at)}</p>
${tried.answer === '' ? nothing : html`<details><summary>Response</summary>${codeBlock(tried.answer, 'Response')}</details>`}</li>`,
  )}</ol>`;
}

/** @param canBeLocal whether endpoints on this machine are allowed */
function newWebhookPage(
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
