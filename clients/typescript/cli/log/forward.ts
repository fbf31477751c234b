import type { ForwardedWebhook, PortalClient, WaitingWebhook } from '../../portal-client.ts';
import { signWebhook } from '../../webhook.ts';
import { UsageError } from '../usage-error.ts';
import { type Paint, paintFor } from './line.ts';

export interface ForwardOptions {
  events?: string[];
  webhookSecret?: string;
  json?: boolean;
}

interface ForwardTerms {
  /** Still usable after the command is interrupted, to end the listener. */
  portal: PortalClient;
  /** Retries while a response may still come. */
  answered: <T>(once: () => Promise<T>) => Promise<T>;
  /** Waits until the next read. @returns false once the command ends */
  next: () => Promise<boolean>;
}

/** The service's timeout for endpoints, and the number of characters of a response that it stores. */
const answerMs = 15_000;
const maxAnswerChars = 16 * 1024;

/**
 * Forwards TEST webhooks to an address, signed on this machine, and reports the responses to the portal.
 * Failures are retried on the same schedule as for endpoints, while this listens.
 * @throws UsageError for an invalid address or secret
 */
export async function forward(
  { forwardTo, events: eventTypes, webhookSecret, json }: ForwardOptions & { forwardTo: string },
  { portal, answered, next }: ForwardTerms,
): Promise<void> {
  const { protocol } = URL.parse(forwardTo) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`${forwardTo} is not an http:// or https:// URL`);
  }
  const secret = webhookSecret ?? (process.env.PARTNER_WEBHOOK_SECRET || newSecret());
  await checked(secret);
  const { listener } = await answered(() => portal.startListener({ forwardTo, eventTypes }));
  const paint = paintFor(process.stdout);
  if (!json) {
    process.stderr.write(
      `Forwarding TEST webhooks to ${forwardTo}. Press Ctrl-C to stop.\nYour receiver's secret: ${secret}\n`,
    );
  }
  try {
    do {
      const { deliveries } = await answered(() => portal.takeWebhooks(listener.id));
      for (const one of deliveries) {
        const outcome = await send(forwardTo, one, secret);
        await answered(() => portal.reportForwarded(listener.id, outcome));
        process.stdout.write(json ? jsonLine(one, outcome) : line(one, outcome, paint));
      }
    } while (await next());
  } finally {
    await portal.endListener(listener.id).catch(() => undefined);
  }
}

async function send(
  forwardTo: string,
  { id: deliveryId, eventId, body }: WaitingWebhook,
  secret: string,
): Promise<ForwardedWebhook> {
  const startMs = performance.now();
  const durationMs = () => Math.round(performance.now() - startMs);
  try {
    const signed = await signWebhook(body, {
      id: eventId,
      secret,
      atSeconds: Date.now() / 1_000,
    });
    const response = await fetch(forwardTo, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
      headers: { ...signed, 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.text()).slice(0, maxAnswerChars);
    return { deliveryId, status: response.status, error: null, answer, durationMs: durationMs() };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: unknown } };
    const reason = name === 'TimeoutError' ? 'TIMEOUT' : String(cause?.code ?? 'CONNECTION_FAILED');
    return { deliveryId, status: null, error: reason, answer: '', durationMs: durationMs() };
  }
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

async function checked(secret: string): Promise<void> {
  try {
    await signWebhook('', { id: 'none', secret, atSeconds: 0 });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function line({ type, eventId }: WaitingWebhook, outcome: ForwardedWebhook, paint: Paint): string {
  const { status, error, durationMs } = outcome;
  const isWell = status !== null && status >= 200 && status < 300;
  const columns = [
    paint('dim', new Date().toISOString().slice(0, 19).replace('T', ' ')),
    paint(isWell ? 'green' : 'red', String(status ?? error)),
    type.padEnd(23),
    paint('dim', eventId),
    `${durationMs} ms`,
  ];
  return `${columns.join('  ')}\n`;
}

const jsonLine = (one: WaitingWebhook, { deliveryId: _, ...outcome }: ForwardedWebhook): string =>
  `${JSON.stringify({ event: JSON.parse(one.body), ...outcome })}\n`;
