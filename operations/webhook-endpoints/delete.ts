import Joi from 'joi';
import { findEndpoint, removeEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';

/** Deletes a webhook endpoint, with what still waited for it. What was sent stays for its thirty days. */
export const deleteWebhookEndpoint = operation({
  name: 'webhook-endpoint.delete',
  permission: { operator: 'webhook-endpoint.delete', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @returns the endpoint as it was */
  async run({ models }: Pick<OperationDeps, 'models'>, key, { found: endpoint }) {
    await removeEndpoint(models, key);
    return endpoint;
  },
});
