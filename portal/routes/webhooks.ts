import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { pageSchema } from '../../http/query.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
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
  findOwnWebhookEndpoint,
  readDeliveries,
  readDelivery,
  readWebhookEndpoints,
} from '../../views/webhooks.ts';
import { plural } from '../components/format.ts';
import { render } from '../components/view.ts';
import { checkedMode, type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { endpointOfForm, type WebhookForm, webhookFormSchema } from '../forms/webhook-form.ts';
import { asked } from '../lists/filters.ts';
import { actorOf } from '../operate.ts';
import { newWebhookPage } from '../pages/webhook-changes.ts';
import { deliveryFilters, deliveryPage, webhookPage, webhooksPage } from '../pages/webhooks.ts';
import { modeOf, webhookPermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RouteSpec } from '../routing/route.ts';
import type { Routes } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

/** A partner's webhook endpoints and their deliveries. */
export function webhookPages(routes: Routes): void {
  routes.page({ ...reading, path: '/webhooks' }, showEndpoints);
  routes.page(
    {
      ...reading,
      path: '/webhooks/deliveries/:deliveryId',
      params: { deliveryId: 'webhookDelivery' },
    },
    showDelivery,
  );
  routes.page(
    {
      ...reading,
      path: '/webhooks/:endpointId',
      params: { endpointId: 'webhookEndpoint' },
    },
    showEndpoint,
  );
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

const emptySchema = Joi.object({});

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

/** Who may change endpoints: in TEST developers, in LIVE owners with the second factor. */
const creating = {
  audience: 'partner',
  permission: { ...webhookPermissions, modeOf },
  path: '/webhooks/new',
} as const;
const ofEndpoint = {
  audience: 'partner',
  permission: {
    ...webhookPermissions,
    modeOf: async (ctx, deps) => (await endpointOf(ctx, deps)).mode,
  },
  params: { endpointId: 'webhookEndpoint' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;
const ofDelivery = {
  audience: 'partner',
  permission: {
    ...webhookPermissions,
    modeOf: async (ctx, deps) => (await deliveryOf(ctx, deps)).mode,
  },
  params: { deliveryId: 'webhookDelivery' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;

/** Creating a LIVE endpoint like a TEST one. */
const copying = {
  path: '/webhooks/:endpointId/copy',
  params: { endpointId: 'webhookEndpoint' },
  audience: 'partner',
  permission: webhookPermissions.LIVE,
  secondFactor: true,
} as const;

/** Changes of webhook endpoints. */
export function webhookChangePages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: webhookFormSchema, act: create, retry: showNew });
  routes.action(
    { ...ofDelivery, path: '/webhooks/deliveries/:deliveryId/resend' },
    { schema: emptySchema, act: resendOne },
  );
  const at = (action: string) => ({ ...ofEndpoint, path: `/webhooks/:endpointId/${action}` });
  routes.action(at('settings'), { schema: webhookFormSchema, act: change, retry: showEndpoint });
  for (const [action, act] of Object.entries({
    rotate,
    delete: remove,
    ping,
    pause: setStatus('PAUSED'),
    resume: setStatus('ACTIVE'),
  })) {
    routes.action(at(action), { schema: emptySchema, act });
  }
  routes.action(
    {
      ...at('show-secret'),
      // Only secrets of LIVE endpoints are made for an owner.
      permission: { ...ofEndpoint.permission, TEST: webhookPermissions.LIVE },
      secondFactor: true,
    },
    { schema: emptySchema, act: showOnce },
  );
  routes.action(at('resend'), { schema: resendSchema, act: resendRange, retry: showEndpoint });
  routes.action(copying, { schema: emptySchema, act: copyToLive, retry: showEndpoint });
}

const endpointOf = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode?: Mode,
): Promise<WebhookEndpointDoc> =>
  findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'), mode);

async function deliveryOf(ctx: PageContext<'partner'>, deps: PageDeps, mode?: Mode) {
  const deliveryId = param(ctx, 'deliveryId');
  return (await readDelivery(deps, ownScope(ctx), deliveryId, mode)).delivery;
}

/** The key of the partner's endpoint, in the mode that was checked. */
async function keyOf(ctx: PageContext<'partner'>, deps: PageDeps) {
  const { _id: endpointId, partnerId } = await endpointOf(ctx, deps, checkedMode(ctx));
  return { partnerId, endpointId };
}

const pathOf = (endpointId: string): string => `/webhooks/${endpointId}`;

const canBeLocal = ({ config }: PageDeps, mode: Mode): boolean =>
  mode === 'TEST' && config.webhooks.allowLoopback;

function showNew(ctx: PageContext<'partner'>, deps: PageDeps, filled: Filled = emptyForm): void {
  const mode = checkedMode(ctx);
  render(ctx, newWebhookPage(ctx, mode, filled, canBeLocal(deps, mode)));
}

async function create(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  typed: WebhookForm,
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const fields = { partnerId, mode: checkedMode(ctx), ...endpointOfForm(typed) };
  const made = await execute(deps, createWebhookEndpoint, actorOf(ctx), fields);
  await revealSecret(ctx, deps, made.endpoint, made.secret);
}

/** Copies a TEST endpoint to LIVE, with a secret of its own. */
async function copyToLive(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partnerId, url, description, eventTypes } = await endpointOf(ctx, deps, 'TEST');
  const fields = { partnerId, mode: 'LIVE' as const, url, description, eventTypes };
  const made = await execute(deps, createWebhookEndpoint, actorOf(ctx), fields);
  await revealSecret(ctx, deps, made.endpoint, made.secret);
}

const revealSecret = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { _id, mode }: Pick<WebhookEndpointDoc, '_id' | 'mode'>,
  secret: string | null,
): Promise<void> =>
  reveal(
    deps,
    ctx,
    { kind: 'WEBHOOK_SECRET', mode, secret: shownSecret(secret) },
    `${pathOf(_id)}?mode=${mode}`,
  );

async function change(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  typed: WebhookForm,
): Promise<void> {
  const key = await keyOf(ctx, deps);
  const fields = { ...key, ...endpointOfForm(typed) };
  await execute(deps, updateWebhookEndpoint, actorOf(ctx), fields);
  redirect(ctx, pathOf(key.endpointId), 'Settings saved.');
}

async function rotate(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const key = await keyOf(ctx, deps);
  const { secret } = await execute(deps, rotateWebhookSecret, actorOf(ctx), key);
  await revealSecret(ctx, deps, { _id: key.endpointId, mode: checkedMode(ctx) }, secret);
}

async function showOnce(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { endpoint, secret } = await execute(
    deps,
    showWebhookSecret,
    actorOf(ctx),
    await keyOf(ctx, deps),
  );
  await revealSecret(ctx, deps, endpoint, secret);
}

const setStatus =
  (status: 'ACTIVE' | 'PAUSED') =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const key = await keyOf(ctx, deps);
    await execute(deps, updateWebhookEndpoint, actorOf(ctx), { ...key, status });
    const said = status === 'PAUSED' ? 'Paused. Events wait until you resume it.' : 'Resumed.';
    redirect(ctx, pathOf(key.endpointId), said);
  };

async function remove(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await execute(deps, deleteWebhookEndpoint, actorOf(ctx), await keyOf(ctx, deps));
  redirect(ctx, '/webhooks', 'Endpoint deleted.');
}

async function ping(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const key = await keyOf(ctx, deps);
  const { _id } = await execute(deps, testWebhookEndpoint, actorOf(ctx), key);
  redirect(
    ctx,
    `/webhooks/deliveries/${_id}`,
    'A test.ping is on its way. Reload the page to see the response.',
  );
}

async function resendOne(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { _id: deliveryId, partnerId, endpointId } = await deliveryOf(ctx, deps, checkedMode(ctx));
  await execute(deps, resendWebhook, actorOf(ctx), { partnerId, endpointId, deliveryId });
  redirect(
    ctx,
    `/webhooks/deliveries/${deliveryId}`,
    'Sent again. Reload the page to see the response.',
  );
}

async function resendRange(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { which, from, until }: ResendForm,
): Promise<void> {
  const key = await keyOf(ctx, deps);
  const { resent, next } = await execute(deps, resendWebhooks, actorOf(ctx), {
    ...key,
    from,
    ...(until !== undefined && { until }),
    ...(which === 'failed' && { state: 'FAILED' as const }),
  });
  const done = `${plural(resent, 'webhook', 'webhooks')} sent again.`;
  const more = next ? ` ${`There are more: resend again from ${next.toISOString()}.`}` : '';
  redirect(ctx, pathOf(key.endpointId), `${done}${more}`);
}
