import { createHmac } from 'node:crypto';

/** What a signing secret begins with, before its key in base64. */
export const webhookSecretPrefix = 'whsec_';

/**
 * The headers of a webhook by Standard Webhooks 1.0.
 * @param secrets one, or two while one is being replaced: each signs
 * @param at seconds since the epoch
 */
export function webhookHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
  at: number,
): Record<string, string> {
  const signed = `${id}.${at}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  };
}
