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
  /** Where the listener itself sends what it fetches; nothing of ours ever connects to it. */
  forwardTo: string;
  eventTypes?: string[];
  description?: string;
}

/** Has a developer's terminal told of TEST, for as long as it asks. It signs by itself what it forwards. */
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
    ...{ partnerId, targetId: null, details: { eventTypes: eventTypes ?? [everyEventType] } },
  }),

  /** @throws ServiceError CONFLICT where as many listen as may */
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
