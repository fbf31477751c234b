import Joi from 'joi';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import {
  byMode,
  descriptionField,
  type EndpointKey,
  endpointKeyFields,
  eventTypesField,
  requireAddress,
  urlField,
} from './fields.ts';

interface Change extends EndpointKey {
  url?: string;
  eventTypes?: string[];
  description?: string;
  status?: 'ACTIVE' | 'PAUSED';
}

/**
 * Changes, pauses or resumes a webhook endpoint. Events wait while it is paused. Events from a time when it
 * was disabled are not sent.
 */
export const updateWebhookEndpoint = operation({
  name: 'webhook-endpoint.update',
  permission: { operator: 'webhook-endpoint.update', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Change>({
    ...endpointKeyFields,
    url: urlField,
    eventTypes: eventTypesField,
    description: descriptionField,
    status: Joi.string().valid('ACTIVE', 'PAUSED'),
  }).or('url', 'eventTypes', 'description', 'status'),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId, url, eventTypes, status }, { partnerId }) => ({
    partnerId,
    targetId: endpointId,
    details: {
      ...(url !== undefined && { origin: URL.parse(url)?.origin ?? null }),
      ...(eventTypes !== undefined && { eventTypes }),
      ...(status !== undefined && { status }),
    },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a URL that is not allowed */
  async run(
    deps: Pick<OperationDeps, 'models' | 'config' | 'now'>,
    { partnerId, endpointId, ...change },
    { found: { mode, status } },
  ) {
    if (change.url !== undefined) requireAddress(deps, change.url, mode);
    const now = new Date(deps.now());
    const hasGap = status === 'DISABLED' && change.status === 'ACTIVE';
    const recovered = { disabledReason: null, failingSince: null, warnedAt: null };
    await deps.models.webhookEndpoints.updateOne(
      { partnerId, _id: endpointId },
      {
        $set: {
          ...change,
          ...(change.status === 'ACTIVE' && recovered),
          ...((hasGap || change.eventTypes !== undefined) && { subscribedSince: now }),
          updatedAt: now,
        },
      },
    );
    return await findEndpoint(deps.models, partnerId, endpointId);
  },
});
