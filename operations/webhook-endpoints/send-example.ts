import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { webhookExamples } from '../../domain/webhook-examples.ts';
import { type WebhookEventType, webhookEventTypes } from '../../domain/webhooks.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { announce } from '../../models/webhooks/announce.ts';
import { newId } from '../../platform/ids.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Sends an example of an event to a partner's TEST endpoints and listeners, also of events that do not
 * happen in TEST. Its `data` marks it as an example.
 */
export const sendWebhookExample = operation({
  name: 'webhook-example.send',
  permission: { operator: null, user: 'webhook.test' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; type: WebhookEventType }>({
    partnerId: idField,
    type: Joi.string()
      .valid(...webhookEventTypes)
      .required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, type }) => ({ partnerId, targetId: null, details: { type } }),

  /**
   * @returns the event's id, and the number of its recipients
   * @throws ServiceError CONFLICT if there are none
   */
  async run({ models, now }: Pick<OperationDeps, 'models' | 'now'>, { partnerId, type }) {
    const told = await announce(models, [
      {
        type,
        partnerId,
        mode: 'TEST',
        at: new Date(now()),
        fact: newId('webhookEvent'),
        sequence: null,
        rewardId: null,
        data: { ...webhookExamples[type], isExample: true },
      },
    ]);
    const [event] = told;
    if (event !== undefined) return { eventId: event.eventId, told: told.length };
    throw new ServiceError(
      'CONFLICT',
      `No TEST endpoint or terminal receives ${type}. Create an endpoint, or start listening in a second terminal.`,
    );
  },
});
