import Joi from 'joi';
import { secretOverlapMs } from '../../domain/webhooks.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';
import { newWebhookSecret, type RevealedEndpoint } from './new-secret.ts';

/**
 * Replaces the signing secret of a webhook endpoint. The previous secret signs as well for another day, so
 * that a receiver can switch without an outage; older ones stop immediately.
 */
export const rotateWebhookSecret = operation({
  name: 'webhook-endpoint.rotate-secret',
  permission: { operator: 'webhook-endpoint.rotate-secret', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { partnerId, endpointId },
  ): Promise<RevealedEndpoint> {
    const { models, now } = deps;
    const { secret, stored } = newWebhookSecret(deps, endpointId);
    const expiresAt = new Date(now() + secretOverlapMs);
    // One write based on the current secrets: after two concurrent rotations, the secrets of both sign.
    await models.webhookEndpoints.collection.updateOne({ partnerId, _id: endpointId }, [
      {
        $set: {
          secrets: {
            $concatArrays: [
              [stored],
              [{ $mergeObjects: [{ $arrayElemAt: ['$secrets', 0] }, { expiresAt }] }],
            ],
          },
          updatedAt: new Date(now()),
        },
      },
    ]);
    return { endpoint: await findEndpoint(models, partnerId, endpointId), secret };
  },
});
