import { newId } from '../../platform/ids.ts';
import type { IntegrationDoc } from '../schemas/integration.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner } from './find.ts';

/**
 * Makes an integration, the specification's `source`.
 * @throws ServiceError NOT_FOUND when there is no such partner
 */
export async function createIntegration(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { partnerId, name }: { partnerId: string; name: string },
): Promise<IntegrationDoc> {
  await findPartner(models, partnerId);
  const integration: IntegrationDoc = {
    _id: newId('integration'),
    partnerId,
    name,
    createdAt: new Date(now()),
  };
  await models.integrations.create(integration);
  return integration;
}
