import { randomBytes } from 'node:crypto';
import { webhookSecretPrefix } from '../../messaging/webhooks/sign.ts';
import type { WebhookEndpointDoc, WebhookSecretDoc } from '../../models/schemas/webhooks.ts';
import type { OperationDeps } from '../deps.ts';

/** An endpoint with its newest secret in clear text, which is shown only once. */
export interface RevealedEndpoint {
  endpoint: WebhookEndpointDoc;
  secret: string;
}

const secretBytes = 32;

/** A new signing secret: in clear text for the response, and sealed for the database. */
export function newWebhookSecret(
  { sealer, now }: Pick<OperationDeps, 'sealer' | 'now'>,
  endpointId: string,
): { secret: string; stored: WebhookSecretDoc } {
  const secret = webhookSecretPrefix + randomBytes(secretBytes).toString('base64');
  const sealed = sealer.seal(secret, endpointId);
  return { secret, stored: { sealed, createdAt: new Date(now()), expiresAt: null } };
}
