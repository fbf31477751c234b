import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { everyEventType, maxEndpoints } from '../../domain/webhooks.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhook-endpoint.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { takenSlots } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { byMode, descriptionField, eventTypesField, requireAddress, urlField } from './fields.ts';
import { newWebhookSecret, type RevealedEndpoint } from './new-secret.ts';

interface EndpointFields {
  partnerId: string;
  mode: Mode;
  url: string;
  eventTypes: string[];
  description: string;
}

/** Each race for a place is lost to somebody who took one. */
const maxRaces = 2 * maxEndpoints;

/** Makes a webhook endpoint, which is told of what happens from now on. */
export const createWebhookEndpoint = operation({
  name: 'webhook-endpoint.create',
  permission: { operator: 'webhook-endpoint.create', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointFields>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    url: urlField.required(),
    eventTypes: eventTypesField.default([everyEventType]),
    description: descriptionField.default(''),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, mode, url, eventTypes }) => ({
    ...{ partnerId, targetId: null },
    // An address may carry a token of the partner's in its path or query.
    details: { mode, origin: URL.parse(url)?.origin ?? null, eventTypes },
  }),

  /** @throws ServiceError VALIDATION_FAILED for an address that is refused; CONFLICT beyond ten */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'config' | 'now'>,
    { partnerId, mode, url, eventTypes, description },
    { idOf },
  ): Promise<RevealedEndpoint> {
    requireAddress(deps, url, mode);
    const _id = idOf('webhookEndpoint');
    const { secret, stored } = newWebhookSecret(deps, _id);
    const now = new Date(deps.now());
    for (let race = 0; race < maxRaces; race++) {
      const taken = await takenSlots(deps.models, partnerId, mode);
      const slot = Array.from({ length: maxEndpoints }, (_, place) => place).find(
        (place) => !taken.has(place),
      );
      if (slot === undefined) break;
      const endpoint: WebhookEndpointDoc = {
        ...{ _id, partnerId, mode, slot, url, eventTypes, description },
        ...{ secrets: [stored], status: 'ACTIVE', disabledReason: null, failingSince: null },
        ...{ warnedAt: null, disabledNoticeAt: null, deliveringUntil: null },
        ...{ createdAt: now, updatedAt: now },
      };
      if (await insertOnce(() => deps.models.webhookEndpoints.create(endpoint))) {
        return { endpoint, secret };
      }
    }
    throw new ServiceError(
      'CONFLICT',
      `${partnerId} has ${maxEndpoints} ${mode} webhook endpoints, the maximum. Delete one first.`,
    );
  },

  completion: ({ endpoint }) => ({ targetId: endpoint._id }),
});
