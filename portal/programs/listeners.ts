import type { Router } from '@koa/router';
import Joi from 'joi';
import type { WebhookEventType } from '../../domain/webhooks.ts';
import {
  endListener,
  type ForwardResult,
  recordForwarded,
  takeForListener,
} from '../../models/webhooks/listeners.ts';
import { execute } from '../../operations/execute.ts';
import { listenToWebhooks, sendWebhookExample } from '../../operations/webhook-endpoints.ts';
import { check } from '../../platform/validation.ts';
import type { PortalContext, PortalState } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { requireWellFormed } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { requireUserPermission, userOf } from './access.ts';
import { readJsonObject } from './body.ts';

/** The same limit as for the stored response of an endpoint. */
const maxAnswerChars = 16 * 1024;

interface ListenInput {
  forwardTo: string;
  eventTypes?: string[];
}
/** The operation validates the values. */
const inputSchema = Joi.object<ListenInput>({ forwardTo: Joi.any(), eventTypes: Joi.any() });

const exampleSchema = Joi.object<{ type: WebhookEventType }>({ type: Joi.any() });

const forwardedSchema = Joi.object<ForwardResult>({
  deliveryId: Joi.string().max(64).required(),
  status: Joi.number().integer().min(100).max(599).allow(null).required(),
  error: Joi.string().max(100).allow(null).required(),
  answer: Joi.string().max(maxAnswerChars).allow('').required(),
  durationMs: Joi.number().integer().min(0).max(600_000).required(),
});

/**
 * The requests of `listen --forward-to`: a developer's terminal fetches a TEST partner's events, signs and
 * forwards them, and can create sample events. It gets no secret of any endpoint.
 */
export function listenerRoutes(router: Router<PortalState>, deps: PortalDeps): void {
  const one = '/webhooks/listeners/:endpointId';
  const itsForm = requireWellFormed({ endpointId: 'webhookEndpoint' });
  const keyOf = (ctx: PortalContext & { params: Record<string, string> }) => ({
    partnerId: userOf(ctx.state).partner._id,
    endpointId: ctx.params.endpointId ?? '',
  });
  const now = () => new Date(deps.now());

  router.post('/webhooks/listeners', requireUserPermission('webhook.test'), async (ctx) => {
    const viewer = userOf(ctx.state);
    const actor = actorOf({ state: { viewer, requestId: ctx.state.requestId } });
    const input = check(inputSchema, await readJsonObject(ctx));
    const partnerId = viewer.partner._id;
    const listener = await execute(deps, listenToWebhooks, actor, { partnerId, ...input });
    ctx.status = 201;
    ctx.body = { success: true, listener: { id: listener._id, eventTypes: listener.eventTypes } };
  });

  router.post('/webhooks/examples', requireUserPermission('webhook.test'), async (ctx) => {
    const viewer = userOf(ctx.state);
    const actor = actorOf({ state: { viewer, requestId: ctx.state.requestId } });
    const { type } = check(exampleSchema, await readJsonObject(ctx));
    const partnerId = viewer.partner._id;
    const { eventId, told } = await execute(deps, sendWebhookExample, actor, { partnerId, type });
    ctx.status = 202;
    ctx.body = { success: true, event: { id: eventId, type }, told };
  });

  router.post(`${one}/take`, requireUserPermission('webhook.test'), itsForm, async (ctx) => {
    const due = await takeForListener(deps.models, keyOf(ctx), now());
    ctx.body = {
      success: true,
      deliveries: due.map(({ _id: id, eventId, type, body }) => ({ id, eventId, type, body })),
    };
  });

  router.post(`${one}/forwarded`, requireUserPermission('webhook.test'), itsForm, async (ctx) => {
    const forwarded = check(forwardedSchema, await readJsonObject(ctx));
    await recordForwarded(deps.models, keyOf(ctx), forwarded, now());
    ctx.body = { success: true };
  });

  router.post(`${one}/end`, requireUserPermission('webhook.test'), itsForm, async (ctx) => {
    await endListener(deps.models, keyOf(ctx));
    ctx.body = { success: true };
  });
}
