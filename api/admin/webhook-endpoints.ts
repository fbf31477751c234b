import type { Router } from '@koa/router';
import Joi from 'joi';
import { type DeliveryState, deliveryStates, webhookEventTypes } from '../../domain/webhooks.ts';
import { given, type PageQuery, page, pageParameters, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import { createWebhookEndpoint } from '../../operations/webhook-endpoints/create.ts';
import { deleteWebhookEndpoint } from '../../operations/webhook-endpoints/delete.ts';
import type { RevealedEndpoint } from '../../operations/webhook-endpoints/new-secret.ts';
import { resendWebhook } from '../../operations/webhook-endpoints/resend.ts';
import { resendWebhooks } from '../../operations/webhook-endpoints/resend-range.ts';
import { rotateWebhookSecret } from '../../operations/webhook-endpoints/rotate-secret.ts';
import { testWebhookEndpoint } from '../../operations/webhook-endpoints/send-test.ts';
import { updateWebhookEndpoint } from '../../operations/webhook-endpoints/update.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorContext, type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

interface DeliveryQuery extends PageQuery {
  state?: DeliveryState;
  type?: string;
}

const deliveryQuery = Joi.object<DeliveryQuery>({
  ...pageParameters,
  state: Joi.string().valid(...deliveryStates),
  type: Joi.string().valid(...webhookEventTypes),
});

/** An endpoint, with the dates of its secrets but without the secrets. */
function presentEndpoint({ _id: id, secrets, ...endpoint }: WebhookEndpointDoc) {
  const { partnerId, mode, url, eventTypes, description, status, disabledReason } = endpoint;
  return {
    id,
    partnerId,
    mode,
    url,
    eventTypes,
    description,
    status,
    disabledReason,
    secrets: secrets.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
    failingSince: endpoint.failingSince,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  };
}

function presentDelivery({ _id: id, history, body, ...delivery }: WebhookDeliveryDoc) {
  const { endpointId, mode, eventId, type, rewardId, state, nextTryAt, deliveredAt } = delivery;
  return {
    id,
    endpointId,
    mode,
    eventId,
    type,
    rewardId,
    state,
    event: JSON.parse(body),
    tries: history.map(({ at, durationMs, status, error, answer }) => ({
      at,
      durationMs,
      status,
      error,
      answer,
    })),
    nextTryAt,
    deliveredAt,
    createdAt: delivery.createdAt,
  };
}

const allOf = '/partners/:partnerId/webhook-endpoints';
const one = `${allOf}/:endpointId`;

/** Partners' webhook endpoints and deliveries, for operators and their scripts. */
export function webhookRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const revealed = ({ endpoint, secret }: RevealedEndpoint) => ({
    status: 201,
    body: { endpoint: presentEndpoint(endpoint), secret },
  });
  const shown = (endpoint: WebhookEndpointDoc) => ({
    status: 200,
    body: { endpoint: presentEndpoint(endpoint) },
  });
  const accepted = (delivery: WebhookDeliveryDoc) => ({
    status: 202,
    body: { delivery: presentDelivery(delivery) },
  });
  const endpointOf = (ctx: OperatorContext) =>
    findEndpoint(models, param(ctx, 'partnerId'), param(ctx, 'endpointId'));

  operations.route('post', allOf, createWebhookEndpoint, {
    body: true,
    secret: true,
    respond: revealed,
  });
  router.get(allOf, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    const conditions = [{ partnerId, status: { $ne: 'LISTENING' }, userId: { $exists: false } }];
    ctx.body = await page(models.webhookEndpoints, conditions, query, presentEndpoint);
  });
  router.get(one, requirePermission('read'), async (ctx) => {
    ctx.body = { endpoint: presentEndpoint(await endpointOf(ctx)) };
  });
  operations.route('patch', one, updateWebhookEndpoint, { body: true, respond: shown });
  operations.route('delete', one, deleteWebhookEndpoint, { respond: shown });
  operations.route('post', `${one}/secrets`, rotateWebhookSecret, {
    secret: true,
    respond: revealed,
  });
  operations.route('post', `${one}/test`, testWebhookEndpoint, { respond: accepted });
  router.get(`${one}/deliveries`, requirePermission('read'), async (ctx) => {
    const { _id: endpointId, partnerId } = await endpointOf(ctx);
    const { state, type, ...query } = queryOf(ctx, deliveryQuery);
    const conditions = given({ partnerId, endpointId, state, type });
    ctx.body = await page(models.webhookDeliveries, conditions, query, presentDelivery);
  });
  operations.route('post', `${one}/resend`, resendWebhooks, {
    body: true,
    respond: (resent) => ({ status: 202, body: resent }),
  });
  operations.route('post', `${one}/deliveries/:deliveryId/resend`, resendWebhook, {
    respond: accepted,
  });
}
