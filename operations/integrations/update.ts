import Joi from 'joi';
import { type Delivery, deliveries } from '../../domain/delivery.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import { requireFound } from '../../models/store/require-found.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

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
