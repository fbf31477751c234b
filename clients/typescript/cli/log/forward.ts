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
  /** Outlives the end of listening, to tell of it. */
  portal: PortalClient;
  /** Asks again for as long as an answer may yet come. */
  answered: <T>(once: () => Promise<T>) => Promise<T>;
  /** Waits until it is to be looked again. @returns whether it still is */
  next: () => Promise<boolean>;
}

/** As long as an endpoint has to answer, and as much as is kept of it. */
const answerMs = 15_000;
const maxAnswerChars = 16 * 1024;

/**
 * Sends the webhooks of TEST on to an address, signed on this machine, and tells the portal what it
 * answered. What fails is tried again at the times of any endpoint, while this listens.
 * @throws UsageError for an address or a secret that is none
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
      ...{ id: eventId, secret, atSeconds: Date.now() / 1_000 },
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
