import { type AnswerMeta, readAnswer } from './answer.ts';
import { exchange } from './attempt.ts';
import type { Mode, RewardStatus } from './types.ts';

/** A signed request in the portal's log. */
export interface LogEvent {
  /** Sorts by the time of the request. */
  id: string;
  /** ISO 8601; for a row that counts several requests, the newest one's. */
  receivedAt: string;
  mode: Mode;
  type: string;
  method: string;
  path: string;
  status: number;
  /** `ACCEPTED`, `REPLAYED`, `OK`, or the code of the refusal. */
  code: string;
  /** The number of requests that the row counts: floods of refusals share a row per minute. */
  count: number;
  externalOrderId: string | null;
  eventId: string | null;
  requestId: string;
  integrationId: string;
  credentialId: string;
}

export interface LogFilter {
  mode?: string | undefined;
  type?: string | undefined;
  code?: string | undefined;
  order?: string | undefined;
  /** UTC days, inclusive. */
  from?: string | undefined;
  to?: string | undefined;
}

/** A part of the log: newest first from `older` on, or oldest first after `newer`. */
export interface LogQuery extends LogFilter {
  older?: string | undefined;
  newer?: string | undefined;
  /** Up to 500. */
  limit?: number | undefined;
}

export interface LogPart {
  events: LogEvent[];
  /** Where the next part begins. */
  next: string | null;
}

export interface TestMoved {
  mode: 'TEST';
  reward: {
    id: string;
    status: RewardStatus;
    customerStatus: string;
    externalOrderId: string;
    points: number;
  };
}

/** A created example, and the number of endpoints and terminals that receive it. */
export interface SentExample {
  event: { id: string; type: string };
  told: number;
}

/** A webhook for a listener to sign and forward. */
export interface WaitingWebhook {
  id: string;
  /** The `webhook-id`. */
  eventId: string;
  type: string;
  /** The exact bytes. */
  body: string;
}

/** The response of the address that a webhook was forwarded to. */
export interface ForwardedWebhook {
  deliveryId: string;
  /** Null without a response. */
  status: number | null;
  error: string | null;
  /** Up to 16,384 characters. */
  answer: string;
  durationMs: number;
}

export interface PortalClientOptions {
  /** The portal's URL, such as `https://partners.example.com`. */
  portalUrl: string;
  /** An access token, created on the user's account page. */
  token: string;
  fetch?: typeof fetch | undefined;
  timeoutMs?: number | undefined;
  /** Cancels requests in progress. */
  ended?: AbortSignal | undefined;
}

/**
 * A client of the portal for programs, which act for the owner of the token. Each method sends one request; it
 * throws `PartnerApiError` for a refusal, `ConnectionError` without a response.
 */
export class PortalClient {
  readonly #portalUrl: string;
  readonly #headers: Record<string, string>;
  readonly #terms: Parameters<typeof exchange>[2];

  /** @throws TypeError if the token would be sent unencrypted to another machine */
  constructor({
    portalUrl,
    token,
    fetch = globalThis.fetch,
    timeoutMs = 25_000,
    ended,
  }: PortalClientOptions) {
    if (!isEncryptedOrHere(portalUrl)) {
      throw new TypeError(
        `${portalUrl} is not an https:// address: the token would be sent unencrypted`,
      );
    }
    this.#portalUrl = portalUrl.replace(/\/+$/, '');
    this.#headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    this.#terms = { fetch, timeoutMs, ended };
  }

  /** A part of the log of signed requests. */
  log(query: LogQuery = {}) {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) given.set(name, String(value));
    }
    return this.#ask<LogPart>('GET', `/events?${given}`);
  }

  /** Claims a TEST reward as its customer would, or ends its claim window. */
  moveTestReward(rewardId: string, move: 'claim' | 'expire') {
    return this.#ask<TestMoved>('POST', `/orders/${encodeURIComponent(rewardId)}/${move}`);
  }

  /** Starts a listener for TEST events, which ends if it fetches none for a minute. */
  startListener(wish: { forwardTo: string; eventTypes?: string[] | undefined }) {
    return this.#ask<{ listener: { id: string; eventTypes: string[] } }>(
      ...(['POST', '/webhooks/listeners', wish] as const),
    );
  }

  /** Sends an example of an event to TEST endpoints and listeners. @param type such as `invoice.issued` */
  sendExample(type: string) {
    return this.#ask<SentExample>('POST', '/webhooks/examples', { type });
  }

  /** A listener's pending webhooks; each is returned until it is reported as forwarded. */
  takeWebhooks(listenerId: string) {
    return this.#ask<{ deliveries: WaitingWebhook[] }>('POST', `${pathOf(listenerId)}/take`);
  }

  reportForwarded(listenerId: string, forwarded: ForwardedWebhook) {
    return this.#ask<object>('POST', `${pathOf(listenerId)}/forwarded`, forwarded);
  }

  endListener(listenerId: string) {
    return this.#ask<object>('POST', `${pathOf(listenerId)}/end`);
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T & AnswerMeta> {
    const url = new URL(this.#portalUrl + path);
    const sent = {
      method,
      headers: this.#headers,
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    };
    const { response, text } = await exchange(url, sent, this.#terms);
    return readAnswer<T>(response, text, { nowMs: Date.now(), idempotencyKey: undefined });
  }
}

/** Whether what is sent to a URL is encrypted, or stays on this machine. */
export function isEncryptedOrHere(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

const pathOf = (listenerId: string): string =>
  `/webhooks/listeners/${encodeURIComponent(listenerId)}`;
