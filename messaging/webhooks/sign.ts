import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The prefix of signing secrets; their key follows in base64. */
export const webhookSecretPrefix = 'whsec_';

/** The key of a secret, which callers create once and reuse. */
export const webhookKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64'));

/**
 * The headers of a webhook according to Standard Webhooks 1.0.
 * @param keys one, or two while a secret is being replaced; each adds a signature
 * @param at seconds since the epoch
 */
export function webhookHeaders(
  { id, body }: { id: string; body: string },
  keys: readonly KeyObject[],
  at: number,
): Record<string, string> {
  const signed = `${id}.${at}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  };
}
