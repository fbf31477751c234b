import Joi from 'joi';
import {
  type DeliveryState,
  deliveryStates,
  type WebhookEventType,
  webhookEventTypes,
} from '../domain/webhooks.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { type PageQuery, pageParameters } from './query.ts';

/** Webhook endpoints and deliveries as JSON, for operators' scripts and partners' programs. */

export interface DeliveryQuery extends PageQuery {
  state?: DeliveryState;
  type?: WebhookEventType;
}

/** The parameters of a list of deliveries. */
export const deliveryQuery = Joi.object<DeliveryQuery>({
  ...pageParameters,
  state: Joi.string().valid(...deliveryStates),
  type: Joi.string().valid(...webhookEventTypes),
});

/** An endpoint, with the dates of its secrets but without the secrets. */
export function presentEndpoint({ _id: id, secrets, ...endpoint }: WebhookEndpointDoc) {
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

export function presentDelivery({ _id: id, history, body, ...delivery }: WebhookDeliveryDoc) {
  const { endpointId, mode, eventId, type, rewardId, state, deliveredAt } = delivery;
  const { nextTryAt: nextAttemptAt } = delivery;
  return {
    id,
    endpointId,
    mode,
    eventId,
    type,
    rewardId,
    state,
    event: JSON.parse(body),
    attempts: history.map(({ at, durationMs, status, error, answer: response }) => ({
      at,
      durationMs,
      status,
      error,
      response,
    })),
    nextAttemptAt,
    deliveredAt,
    createdAt: delivery.createdAt,
  };
}
