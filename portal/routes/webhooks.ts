import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { maxResent } from '../../domain/webhooks.ts';
import { pageSchema } from '../../http/query.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import {
  findOwnWebhookEndpoint,
  readDeliveries,
  readDelivery,
  readWebhookEndpoints,
} from '../../models/views/webhooks.ts';
import { execute } from '../../operations/execute.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  resendWebhook,
  resendWebhooks,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../operations/webhook-endpoints.ts';
import { plural } from '../components/format.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import {
  endpointOfForm,
  formOfEndpoint,
  type WebhookForm,
  webhookFormSchema,
} from '../forms/webhook-form.ts';
import { asked } from '../lists/filters.ts';
import { actorOf } from '../operate.ts';
import { newWebhookPage, resendPage, webhookSettingsPage } from '../pages/webhook-changes.ts';
import { deliveryFilters, deliveryPage, webhookPage, webhooksPage } from '../pages/webhooks.ts';
import { modeOf, webhookModes, webhooksOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
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
  render(ctx, webhooksPage(ctx, mode, endpoints, deps.now()));
}

async function showEndpoint(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const endpoint = await findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'));
  const list = await asked(ctx, deps, deliveryFilters);
  const deliveries = await readDeliveries(deps, endpoint, list.filter, queryOf(ctx, pageSchema));
  render(ctx, webhookPage(ctx, endpoint, list, deliveries));
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

/** Changes of webhook endpoints: developers can change TEST; LIVE needs an owner and the second factor. */
export function webhookChangePages(routes: Routes): void {
  for (const mode of modes) {
    const { permission, secondFactor, kind, deliveryKind } = webhookModes[mode];
    const common = { audience: 'partner', permission, secondFactor } as const;
    const base = webhooksOf(mode);

    const creating = { ...common, path: `${base}/new` };
    routes.page(creating, showNew(mode));
    routes.action(creating, { schema: webhookFormSchema, act: create(mode), retry: showNew(mode) });

    const resendingOne = {
      ...common,
      path: `${base}/deliveries/:deliveryId/resend`,
      params: { deliveryId: deliveryKind },
    };
    routes.action(resendingOne, { schema: emptySchema, act: resendOne(mode) });

    const at = (action: string) => ({
      ...common,
      path: `${base}/:endpointId/${action}`,
      params: { endpointId: kind },
    });
    routes.page(at('settings'), showSettings(mode));
    routes.action(at('settings'), {
      schema: webhookFormSchema,
      act: change(mode),
      retry: showSettings(mode),
    });
    for (const [action, act] of Object.entries({
      rotate: rotate(mode),
      delete: remove(mode),
      ping: ping(mode),
      pause: setStatus(mode, 'PAUSED'),
      resume: setStatus(mode, 'ACTIVE'),
    })) {
      routes.action(at(action), { schema: emptySchema, act });
    }
    routes.page(at('resend'), showResend(mode));
    routes.action(at('resend'), {
      schema: resendSchema,
      act: resendRange(mode),
      retry: showResend(mode),
    });
  }
}

const endpointOf = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode: Mode,
): Promise<WebhookEndpointDoc> =>
  findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'), mode);

/** The key of the partner's endpoint, after checking that it has the mode in the path. */
async function keyOf(ctx: PageContext<'partner'>, deps: PageDeps, mode: Mode) {
  const { _id: endpointId, partnerId } = await endpointOf(ctx, deps, mode);
  return { partnerId, endpointId };
}

const pathOf = (endpointId: string): string => `/webhooks/${endpointId}`;

const canBeLocal = ({ config }: PageDeps, mode: Mode): boolean =>
  mode === 'TEST' && config.webhooks.allowLoopback;

const showNew =
  (mode: Mode) =>
  (ctx: PageContext<'partner'>, deps: PageDeps, filled: Filled = emptyForm): void =>
    render(ctx, newWebhookPage(ctx, mode, filled, canBeLocal(deps, mode)));

const create =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, typed: WebhookForm): Promise<void> => {
    const partnerId = ctx.state.viewer.partner._id;
    const fields = { partnerId, mode, ...endpointOfForm(typed) };
    const made = await execute(deps, createWebhookEndpoint, actorOf(ctx), fields);
    await revealSecret(ctx, deps, mode, made.endpoint._id, made.secret);
  };

const revealSecret = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode: Mode,
  endpointId: string,
  secret: string,
): Promise<void> => reveal(deps, ctx, { kind: 'WEBHOOK_SECRET', mode, secret }, pathOf(endpointId));

const showSettings =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, filled?: Filled): Promise<void> => {
    const endpoint = await endpointOf(ctx, deps, mode);
    const given = filled ?? formOfEndpoint(endpoint);
    render(ctx, webhookSettingsPage(ctx, endpoint, given, canBeLocal(deps, mode)));
  };

const change =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, typed: WebhookForm): Promise<void> => {
    const key = await keyOf(ctx, deps, mode);
    const fields = { ...key, ...endpointOfForm(typed) };
    await execute(deps, updateWebhookEndpoint, actorOf(ctx), fields);
    redirect(ctx, pathOf(key.endpointId), 'Settings saved.');
  };

const rotate =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const key = await keyOf(ctx, deps, mode);
    const { secret } = await execute(deps, rotateWebhookSecret, actorOf(ctx), key);
    await revealSecret(ctx, deps, mode, key.endpointId, secret);
  };

const setStatus =
  (mode: Mode, status: 'ACTIVE' | 'PAUSED') =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const key = await keyOf(ctx, deps, mode);
    await execute(deps, updateWebhookEndpoint, actorOf(ctx), { ...key, status });
    const said = status === 'PAUSED' ? 'Paused. Events wait until you resume it.' : 'Resumed.';
    redirect(ctx, pathOf(key.endpointId), said);
  };

const remove =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    await execute(deps, deleteWebhookEndpoint, actorOf(ctx), await keyOf(ctx, deps, mode));
    redirect(ctx, '/webhooks', 'Endpoint deleted.');
  };

const ping =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const key = await keyOf(ctx, deps, mode);
    const { _id } = await execute(deps, testWebhookEndpoint, actorOf(ctx), key);
    redirect(
      ctx,
      `/webhooks/deliveries/${_id}`,
      'A test.ping is on its way. Reload the page to see the response.',
    );
  };

const resendOne =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const deliveryId = param(ctx, 'deliveryId');
    const { delivery } = await readDelivery(deps, ownScope(ctx), deliveryId, mode);
    const { partnerId, endpointId } = delivery;
    await execute(deps, resendWebhook, actorOf(ctx), { partnerId, endpointId, deliveryId });
    redirect(
      ctx,
      `/webhooks/deliveries/${deliveryId}`,
      'Sent again. Reload the page to see the response.',
    );
  };

const showResend =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, filled?: Filled): Promise<void> => {
    const today = new Date(deps.now()).toISOString().slice(0, 10);
    const endpoint = await endpointOf(ctx, deps, mode);
    const given = filled ?? filledWith({ from: `${today}T00:00` });
    render(ctx, resendPage(ctx, endpoint, given, maxResent));
  };

const resendRange =
  (mode: Mode) =>
  async (
    ctx: PageContext<'partner'>,
    deps: PageDeps,
    { which, from, until }: ResendForm,
  ): Promise<void> => {
    const key = await keyOf(ctx, deps, mode);
    const { resent, next } = await execute(deps, resendWebhooks, actorOf(ctx), {
      ...key,
      from,
      ...(until !== undefined && { until }),
      ...(which === 'failed' && { state: 'FAILED' as const }),
    });
    const done = `${plural(resent, 'webhook', 'webhooks')} sent again.`;
    const more = next ? ` ${`There are more: resend again from ${next.toISOString()}.`}` : '';
    redirect(ctx, pathOf(key.endpointId), `${done}${more}`);
  };
