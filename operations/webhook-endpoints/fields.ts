import Joi from 'joi';
import { invalidFields } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { everyEventType, maxWebhookUrlChars, webhookEventTypes } from '../../domain/webhooks.ts';
import { addressProblem } from '../../messaging/webhooks/addresses.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';

/** Identifies an endpoint of a partner. */
export interface EndpointKey {
  partnerId: string;
  endpointId: string;
}

export const endpointKeyFields = { partnerId: idField, endpointId: idField };

/** The permissions to change endpoints: as with keys, LIVE is for owners. */
export const byMode = { TEST: 'webhook.test', LIVE: 'webhook.live' } as const;

export const urlField = Joi.string().max(maxWebhookUrlChars);

export const eventTypesField = Joi.array()
  .items(Joi.string().valid(...webhookEventTypes, everyEventType))
  .min(1)
  .unique();

export const descriptionField = Joi.string().trim().max(200).allow('');

/** @throws ServiceError VALIDATION_FAILED for a URL that is not allowed in the mode */
export function requireAddress(
  { config }: Pick<OperationDeps, 'config'>,
  url: string,
  mode: Mode,
): void {
  const problem = addressProblem(url, mode, config.webhooks.allowLoopback);
  if (problem !== undefined) throw invalidFields({ url: `url ${problem}` });
}
