import Joi from 'joi';
import { findEndpoint, removeEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';

/** Deletes a webhook endpoint with its pending deliveries. Other deliveries stay for 30 days. */
export const deleteWebhookEndpoint = operation({
  name: 'webhook-endpoint.delete',
  permission: { operator: 'webhook-endpoint.delete', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @returns the deleted endpoint */
  async run({ models }: Pick<OperationDeps, 'models'>, key, { found: endpoint }) {
    await removeEndpoint(models, key);
    return endpoint;
  },
});
