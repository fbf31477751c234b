import Joi from 'joi';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import { newId } from '../../platform/ids.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';

/** Sends `test.ping` to a webhook endpoint, whatever its event types. */
export const testWebhookEndpoint = operation({
  name: 'webhook-endpoint.test',
  permission: { operator: 'webhook-endpoint.test', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @returns the delivery, which is sent after the response */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    _input,
    { found: { _id, partnerId, mode } },
  ) {
    const delivery = deliveryOf(_id, {
      type: 'test.ping',
      partnerId,
      mode,
      at: new Date(now()),
      fact: newId('webhookEvent'),
      sequence: null,
      rewardId: null,
      data: { endpointId: _id },
    });
    await models.webhookDeliveries.create(delivery);
    return delivery;
  },
});
