import Joi from 'joi';
import {
  everyEventType,
  maxWebhookUrlChars,
  type WebhookEventType,
  webhookEventTypes,
} from '../../domain/webhooks.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import type { Filled } from './submit.ts';

/** The form of a webhook endpoint. */
export interface WebhookForm {
  url: string;
  /** None selected: all types, including future ones. */
  eventTypes: WebhookEventType[];
  description: string;
}

export const webhookFormSchema = Joi.object<WebhookForm>({
  url: Joi.string()
    .trim()
    .max(maxWebhookUrlChars)
    .required()
    .messages({ 'any.required': 'Enter the URL to send events to.' }),
  eventTypes: Joi.array()
    .items(Joi.string().valid(...webhookEventTypes))
    .single()
    .default([])
    .messages({ 'any.only': 'Choose from the events below.' }),
  description: Joi.string().trim().max(200).default(''),
});

/** The form as input of an operation. */
export const endpointOfForm = ({ url, eventTypes, description }: WebhookForm) => ({
  url,
  description,
  eventTypes: eventTypes.length === 0 ? [everyEventType] : eventTypes,
});

/** A form filled with a stored endpoint. */
export function formOfEndpoint({ url, eventTypes, description }: WebhookEndpointDoc): Filled {
  const ticked = eventTypes.includes(everyEventType) ? [] : eventTypes;
  return { values: { url, description, eventTypes: ticked }, errors: {} };
}
