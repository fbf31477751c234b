import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { modeOfPartner } from '../domain/go-live.ts';
import type { Mode } from '../domain/mode.ts';
import { maxIntegrations } from '../domain/partners.ts';
import { type Delivery, deliveries } from '../domain/purchase.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { IntegrationDoc } from '../models/schemas/integrations.ts';
import { requireFound } from '../models/store/require-found.ts';
import { writeWithinLimit } from '../models/store/write-within-limit.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation, sensitiveOperation, takesTwo } from './operation.ts';
import { changed } from './proposals.ts';

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
  async run({ models, now }: AuditLogDeps, { partnerId, name }): Promise<IntegrationDoc> {
    const integration: IntegrationDoc = {
      _id: newId('integration'),
      partnerId,
      name,
      delivery: 'SERVICE',
      createdAt: new Date(now()),
    };
    const isWritten = await writeWithinLimit(
      models,
      { partnerId, max: maxIntegrations },
      (session) => models.integrations.countDocuments({ partnerId }, { session }),
      (session) => models.integrations.create([integration], { session }),
    );
    if (isWritten) return integration;
    throw new ServiceError(
      'CONFLICT',
      `${partnerId} has ${maxIntegrations} integrations, the maximum. Use an existing one: it can have several keys.`,
    );
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

interface Change {
  partnerId: string;
  integrationId: string;
  delivery: Delivery;
}

/**
 * Changes who delivers an integration's claim links, for later purchases. In LIVE, customers get none from us
 * once the partner delivers them.
 */
export const updateIntegration = sensitiveOperation({
  name: 'integration.update',
  permission: {
    operator: 'integration.update',
    user: { TEST: 'integration.update', LIVE: 'integration.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<Change>({
    partnerId: idField,
    integrationId: idField,
    delivery: Joi.valid(...deliveries).required(),
  }),
  async find({ models }, { partnerId, integrationId: _id }) {
    const mode = modeOfPartner(await findPartner(models, partnerId));
    return { ...(await findOwn(models, { partnerId, _id })), mode };
  },
  atWorst: {
    moves: 'the claim links of later orders',
    undo: 'integration.update',
    two: takesTwo.inLive,
  },
  approval: {
    shown: (_deps, { integrationId, delivery }, { partnerId, name, delivery: before, mode }) => ({
      partnerId,
      integrationId,
      integration: name,
      mode,
      before,
      delivery,
    }),
    needed: ({
      mode,
      before,
      delivery,
    }: { mode: Mode } & Record<'before' | 'delivery', Delivery>) =>
      mode === 'LIVE' && before !== delivery,
  },
  audit: ({ partnerId, integrationId, delivery }) => ({
    targetId: integrationId,
    partnerId,
    details: { delivery },
  }),

  /** @throws ServiceError CONFLICT if somebody else has changed it since an operator was shown it */
  async run(
    { models }: AuditLogDeps,
    { partnerId, integrationId: _id, delivery },
    { shown },
  ): Promise<IntegrationDoc> {
    const asShown = shown ? { delivery: { $in: [shown.before as Delivery, delivery] } } : {};
    const filter = { partnerId, _id, ...asShown };
    const { matchedCount } = await models.integrations.updateOne(filter, { $set: { delivery } });
    if (matchedCount === 0) throw new ServiceError('CONFLICT', changed);
    return await findOwn(models, { partnerId, _id });
  },
});

async function findOwn(
  models: AuditLogDeps['models'],
  { partnerId, _id }: Pick<IntegrationDoc, 'partnerId' | '_id'>,
): Promise<IntegrationDoc> {
  return requireFound(await models.integrations.findOne({ partnerId, _id }), 'integration', _id);
}
