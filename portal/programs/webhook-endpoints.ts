import type { Router } from '@koa/router';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { type PageQuery, pageParameters } from '../../http/query.ts';
import { deliveryQuery, presentDelivery, presentEndpoint } from '../../http/webhook-endpoints.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import type { UserActor } from '../../operations/actor.ts';
import { execute, FactorDueError } from '../../operations/execute.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type EndpointKey,
  type RevealedEndpoint,
  resendWebhooks,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../operations/webhook-endpoints.ts';
import { check } from '../../platform/validation.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readDeliveries, readEndpointPage } from '../../views/webhooks.ts';
import type { PortalContext, PortalState } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { requireWellFormed } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { userOf } from './access.ts';
import { readJsonObject } from './body.ts';

type ProgramContext = PortalContext & { params: Record<string, string> };

const endpointQuery = Joi.object<PageQuery & { mode?: Mode }>({
  ...pageParameters,
  mode: Joi.string().valid(...modes),
});

/**
 * A partner's webhook endpoints, for a user's access token: what the pages do, by the same operations. LIVE is
 * changed on the pages, since it takes a second factor.
 */
export function webhookEndpointRoutes(router: Router<PortalState>, deps: PortalDeps): void {
  const all = '/webhooks/endpoints';
  const one = `${all}/:endpointId`;
  const itsForm = requireWellFormed({ endpointId: 'webhookEndpoint' });

  /** Does something as the user of the token, on their own partner; the operation checks what else is given. */
  async function asUser<Outcome>(
    ctx: ProgramContext,
    act: (actor: UserActor, key: EndpointKey) => Promise<Outcome>,
  ): Promise<Outcome> {
    const viewer = userOf(ctx.state);
    const actor = actorOf({ state: { viewer, requestId: ctx.state.requestId } });
    const { endpointId = '' } = ctx.params;
    try {
      return await act(actor, { partnerId: viewer.partner._id, endpointId });
    } catch (error) {
      if (!(error instanceof FactorDueError)) throw error;
      throw new ServiceError(
        'FORBIDDEN',
        'LIVE endpoints are changed in the portal, since that takes a second factor.',
      );
    }
  }
  const find = (ctx: ProgramContext) =>
    findEndpoint(deps.models, userOf(ctx.state).partner._id, ctx.params.endpointId ?? '');
  const shown = (endpoint: WebhookEndpointDoc) => ({
    success: true,
    endpoint: presentEndpoint(endpoint),
  });
  const revealed = (ctx: ProgramContext, { endpoint, secret }: RevealedEndpoint) => {
    ctx.status = 201;
    ctx.body = { ...shown(endpoint), secret };
  };

  router.get(all, async (ctx) => {
    const { partner } = userOf(ctx.state);
    const { mode, ...query } = check(endpointQuery, { ...ctx.query });
    const { items, nextCursor } = await readEndpointPage(deps, scopeOf(partner), mode, query);
    ctx.body = { success: true, endpoints: items.map(presentEndpoint), nextCursor };
  });
  router.post(all, async (ctx) => {
    const given = await readJsonObject(ctx);
    const made = await asUser(ctx, (actor, { partnerId }) =>
      execute(deps, createWebhookEndpoint, actor, { ...given, partnerId } as never),
    );
    revealed(ctx, made);
  });
  router.get(one, itsForm, async (ctx) => {
    ctx.body = shown(await find(ctx));
  });
  router.patch(one, itsForm, async (ctx) => {
    const given = await readJsonObject(ctx);
    const changed = await asUser(ctx, (actor, key) =>
      execute(deps, updateWebhookEndpoint, actor, { ...given, ...key }),
    );
    ctx.body = shown(changed);
  });
  router.delete(one, itsForm, async (ctx) => {
    const deleted = await asUser(ctx, (actor, key) =>
      execute(deps, deleteWebhookEndpoint, actor, key),
    );
    ctx.body = shown(deleted);
  });
  router.post(`${one}/secrets`, itsForm, async (ctx) => {
    const rotated = await asUser(ctx, (actor, key) =>
      execute(deps, rotateWebhookSecret, actor, key),
    );
    revealed(ctx, rotated);
  });
  router.post(`${one}/test`, itsForm, async (ctx) => {
    const delivery = await asUser(ctx, (actor, key) =>
      execute(deps, testWebhookEndpoint, actor, key),
    );
    ctx.status = 202;
    ctx.body = { success: true, delivery: presentDelivery(delivery) };
  });
  router.get(`${one}/deliveries`, itsForm, async (ctx) => {
    const { state, type, ...query } = check(deliveryQuery, { ...ctx.query });
    const page = await readDeliveries(deps, await find(ctx), { state, type }, query);
    const deliveries = page.items.map(presentDelivery);
    ctx.body = { success: true, deliveries, nextCursor: page.nextCursor };
  });
  router.post(`${one}/resend`, itsForm, async (ctx) => {
    const given = await readJsonObject(ctx);
    const resent = await asUser(ctx, (actor, key) =>
      execute(deps, resendWebhooks, actor, { ...given, ...key } as never),
    );
    ctx.status = 202;
    ctx.body = { success: true, ...resent };
  });
}
