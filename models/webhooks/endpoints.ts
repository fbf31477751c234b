import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { requireFound } from '../store/require-found.ts';
import { deletePendingDeliveries } from './deliveries.ts';

/**
 * A partner's webhook endpoint.
 * @throws ServiceError NOT_FOUND, also for another partner's, for listeners and for users' notices
 */
export async function findEndpoint(
  { webhookEndpoints }: Models,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpointDoc> {
  const endpoint = await webhookEndpoints.findOne({
    partnerId,
    _id: endpointId,
    status: { $ne: 'LISTENING' },
    userId: { $exists: false },
  });
  return requireFound(endpoint, 'webhook endpoint', endpointId);
}

/** The occupied slots of a partner's endpoints in one mode, whose number is limited. */
export async function takenSlots(
  { webhookEndpoints }: Models,
  partnerId: string,
  mode: Mode,
): Promise<Set<number>> {
  const taken = await webhookEndpoints.find({ partnerId, mode }, { slot: 1 });
  return new Set(taken.map(({ slot }) => slot));
}

/** The partners with an endpoint, a listener or a user with notices. */
export async function partnersWithEndpoints({ webhookEndpoints }: Models): Promise<string[]> {
  return await webhookEndpoints.distinct('partnerId', {
    status: { $in: ['ACTIVE', 'PAUSED', 'LISTENING'] },
  });
}

/**
 * Deletes an endpoint and its pending deliveries; if there are many, the sweep deletes the rest. Other
 * deliveries stay for 30 days.
 */
export async function removeEndpoint(
  models: Models,
  { partnerId, endpointId }: { partnerId: string; endpointId: string },
): Promise<void> {
  await models.webhookEndpoints.deleteOne({ partnerId, _id: endpointId });
  await deletePendingDeliveries(models, endpointId);
}
