import { everyEventType, operatorsId } from '../../domain/webhooks.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import { removeEndpoint } from './endpoints.ts';

const endpointId = 'whe_operators';

/**
 * Stores the operators' endpoint as configured, and enables it again if it was disabled. Without one in
 * the configuration, the endpoint and its pending deliveries are deleted.
 */
export async function syncOperatorsEndpoint(
  models: Models,
  sealer: Sealer,
  configured: { url: string; secret: string } | undefined,
  now: Date,
): Promise<void> {
  const key = { partnerId: operatorsId, endpointId };
  if (configured === undefined) return await removeEndpoint(models, key);
  const { url, secret } = configured;
  const sealed = sealer.seal(secret, endpointId);
  await models.webhookEndpoints.updateOne(
    { partnerId: operatorsId, _id: endpointId },
    {
      $set: {
        url,
        secrets: [{ sealed, createdAt: now, expiresAt: null }],
        status: 'ACTIVE',
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        disabledNoticeAt: null,
        updatedAt: now,
      },
      $setOnInsert: {
        mode: 'LIVE',
        slot: 0,
        eventTypes: [everyEventType],
        createdAt: now,
        description: 'the operators’ own',
      },
    },
    { upsert: true },
  );
}
