import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { maxIntegrations } from '../domain/partners.ts';
import { type Delivery, deliveries } from '../domain/purchase.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { IntegrationDoc } from '../models/schemas/integrations.ts';
import { requireFound } from '../models/store/require-found.ts';
import { newId } from '../platform/ids.ts';
import type { AuditDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation } from './operation.ts';

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

interface Change {
  partnerId: string;
  integrationId: string;
  delivery: Delivery;
}

/** Changes who delivers an integration's claim links, for later purchases. */
export const updateIntegration = operation({
  name: 'integration.update',
  permission: { operator: 'integration.update', user: 'integration.update' },
  secondFactor: 'NEVER',
  input: Joi.object<Change>({
    partnerId: idField,
    integrationId: idField,
    delivery: Joi.valid(...deliveries).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId, integrationId: _id }) => findOwn(models, { partnerId, _id }),
  audit: ({ partnerId, integrationId, delivery }) => ({
    targetId: integrationId,
    partnerId,
    details: { delivery },
  }),

  async run(
    { models }: AuditDeps,
    { partnerId, integrationId: _id, delivery },
  ): Promise<IntegrationDoc> {
    await models.integrations.updateOne({ partnerId, _id }, { $set: { delivery } });
    return await findOwn(models, { partnerId, _id });
  },
});

async function findOwn(
  models: AuditDeps['models'],
  { partnerId, _id }: Pick<IntegrationDoc, 'partnerId' | '_id'>,
): Promise<IntegrationDoc> {
  return requireFound(await models.integrations.findOne({ partnerId, _id }), 'integration', _id);
}
