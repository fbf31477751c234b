import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { requireFound } from '../store/require-found.ts';
import { dropWaiting } from './deliveries.ts';

/** One that is sent to. @throws ServiceError NOT_FOUND, also for another partner's, a listener, and a user's notices */
export async function findEndpoint(
  { webhookEndpoints }: Models,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpointDoc> {
  const endpoint = await webhookEndpoints
    .findOne({
      partnerId,
      _id: endpointId,
      status: { $ne: 'LISTENING' },
      userId: { $exists: false },
    })
    .lean();
  return requireFound(endpoint, 'webhook endpoint', endpointId);
}

/** The places of a partner's endpoints in one mode that are taken. */
export async function takenSlots(
  { webhookEndpoints }: Models,
  partnerId: string,
  mode: Mode,
): Promise<Set<number>> {
  const taken = await webhookEndpoints.find({ partnerId, mode }, { slot: 1 }).lean();
  return new Set(taken.map(({ slot }) => slot));
}

/** The partners that are told anything. */
export async function partnersWithEndpoints({ webhookEndpoints }: Models): Promise<string[]> {
  return await webhookEndpoints.distinct('partnerId', {
    status: { $in: ['ACTIVE', 'PAUSED', 'LISTENING'] },
  });
}

/**
 * Removes an endpoint, with what still waited for it: much of that goes later, by the sweep. What was sent
 * stays for its thirty days.
 */
export async function removeEndpoint(
  models: Models,
  { partnerId, endpointId }: { partnerId: string; endpointId: string },
): Promise<void> {
  await models.webhookEndpoints.deleteOne({ partnerId, _id: endpointId });
  await dropWaiting(models, endpointId);
}
