import Joi from 'joi';
import { maxIntegrations } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, shortText } from '../fields.ts';
import { operation } from '../operation.ts';

/** Creates an integration, which the API calls `source`. */
export const createIntegration = operation({
  name: 'integration.create',
  permission: { operator: 'integration.create', user: 'integration.create' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; name: string }>({
    partnerId: idField,
    name: shortText(100).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, name }) => ({ targetId: null, partnerId, details: { name } }),

  /** @throws ServiceError CONFLICT if the partner has the maximum number of integrations */
  async run({ models, now }: AuditDeps, { partnerId, name }): Promise<IntegrationDoc> {
    if ((await models.integrations.countDocuments({ partnerId })) >= maxIntegrations) {
      throw new ServiceError(
        'CONFLICT',
        `${partnerId} has ${maxIntegrations} integrations, the maximum. Use an existing one: it can have several keys.`,
      );
    }
    const integration: IntegrationDoc = {
      _id: newId('integration'),
      partnerId,
      name,
      delivery: 'SERVICE',
      createdAt: new Date(now()),
    };
    await models.integrations.create(integration);
    return integration;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
