import { invalidFields } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { IntegrationDoc } from '../schemas/integrations.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findIntegration(
  models: Models,
  integrationId: string,
): Promise<IntegrationDoc> {
  const integration = await models.integrations.findById(integrationId);
  return requireFound(integration, 'integration', integrationId);
}

/**
 * The integration named in a request body, which must be the partner's own.
 * @throws ServiceError VALIDATION_FAILED
 */
export async function requireIntegration(
  models: Models,
  partnerId: string,
  integrationId: string,
): Promise<void> {
  if (await models.integrations.exists({ partnerId, _id: integrationId })) return;
  throw invalidFields({
    integrationId: `integrationId must name an integration of ${partnerId}; ${JSON.stringify(integrationId)} does not`,
  });
}
