import Joi from 'joi';
import { everyEventType, maxWebhookUrlChars } from '../../domain/webhooks.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { addListener } from '../../models/webhooks/listeners.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { descriptionField, eventTypesField } from './fields.ts';

interface Listening {
  partnerId: string;
  /** The URL that the listener forwards to; the service never connects to it. */
  forwardTo: string;
  eventTypes?: string[];
  description?: string;
}

/** Adds a developer's terminal as a listener for TEST events, which signs and forwards them itself. */
export const listenToWebhooks = operation({
  name: 'webhook-listener.start',
  permission: { operator: null, user: 'webhook.test' },
  secondFactor: 'NEVER',
  input: Joi.object<Listening>({
    partnerId: idField,
    forwardTo: Joi.string()
      .max(maxWebhookUrlChars)
      .uri({ scheme: ['http', 'https'] })
      .required(),
    eventTypes: eventTypesField,
    description: descriptionField,
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, eventTypes }) => ({
    partnerId,
    targetId: null,
    details: { eventTypes: eventTypes ?? [everyEventType] },
  }),

  /** @throws ServiceError CONFLICT if the partner has the maximum number of listeners */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { partnerId, forwardTo: url, eventTypes = [everyEventType], description = 'a terminal' },
    { idOf },
  ) {
    const _id = idOf('webhookEndpoint');
    return await addListener(
      models,
      { _id, partnerId, url, eventTypes, description },
      new Date(now()),
    );
  },

  completion: ({ _id }) => ({ targetId: _id }),
});
