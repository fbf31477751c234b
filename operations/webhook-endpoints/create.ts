import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { everyEventType, maxEndpoints } from '../../domain/webhooks.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
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

/** Every lost race for a slot means that another request took one, so this many are enough. */
const maxRaces = 2 * maxEndpoints;

/** Creates a webhook endpoint, which receives events from now on. */
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
    partnerId,
    targetId: null,
    // The URL may contain a token of the partner's in its path or query.
    details: { mode, origin: URL.parse(url)?.origin ?? null, eventTypes },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a URL that is not allowed; CONFLICT for more than ten */
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
        _id,
        partnerId,
        mode,
        slot,
        url,
        eventTypes,
        description,
        secrets: [stored],
        status: 'ACTIVE',
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        disabledNoticeAt: null,
        deliveringUntil: null,
        createdAt: now,
        updatedAt: now,
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
