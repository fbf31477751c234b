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
  delivery?: Delivery;
  /** Whether customers who gave both an email address and a phone number get a text message, too. */
  alsoText?: boolean;
}

/** Changes who delivers an integration's claim links, and by which channels, for later purchases. */
export const updateIntegration = operation({
  name: 'integration.update',
  permission: { operator: 'integration.update', user: 'integration.update' },
  secondFactor: 'NEVER',
  input: Joi.object<Change>({
    partnerId: idField,
    integrationId: idField,
    delivery: Joi.valid(...deliveries),
    alsoText: Joi.boolean().strict(),
  }).or('delivery', 'alsoText'),
  approval: 'NONE',
  find: ({ models }, { partnerId, integrationId: _id }) => findOwn(models, { partnerId, _id }),
  audit: ({ partnerId, integrationId, ...details }) => ({
    targetId: integrationId,
    partnerId,
    details,
  }),

  async run(
    { models }: AuditDeps,
    { partnerId, integrationId: _id, ...changes },
  ): Promise<IntegrationDoc> {
    await models.integrations.updateOne({ partnerId, _id }, { $set: changes });
    return await findOwn(models, { partnerId, _id });
  },
});

async function findOwn(
  models: AuditDeps['models'],
  { partnerId, _id }: Pick<IntegrationDoc, 'partnerId' | '_id'>,
): Promise<IntegrationDoc> {
  return requireFound(await models.integrations.findOne({ partnerId, _id }), 'integration', _id);
}
