import Joi from 'joi';
import { requireFound } from '../../models/store/require-found.ts';
import { findDelivery, resendDelivery } from '../../models/webhooks/deliveries.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';

interface Resend extends EndpointKey {
  deliveryId: string;
}

/** Resends a webhook with the same id and body, so that receivers recognize a repeat. */
export const resendWebhook = operation({
  name: 'webhook-delivery.resend',
  permission: { operator: 'webhook-delivery.resend', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Resend>({ ...endpointKeyFields, deliveryId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ deliveryId, endpointId }, { partnerId }) => ({
    partnerId,
    targetId: deliveryId,
    details: { endpointId },
  }),

  /** @throws ServiceError NOT_FOUND for a delivery of another endpoint, or older than 30 days */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { deliveryId },
    { found: endpoint },
  ) {
    const delivery = await findDelivery(models, endpoint, deliveryId);
    const resent = await resendDelivery(models, delivery, new Date(now()));
    return requireFound(resent, 'webhook delivery', deliveryId);
  },
});
