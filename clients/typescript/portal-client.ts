import { type AnswerMeta, readAnswer } from './answer.ts';
import { exchange } from './attempt.ts';
import type { Mode, RewardStatus } from './types.ts';

/** A signed request, as the log of the portal has it. */
export interface LogEvent {
  /** Sorts by when the request was received. */
  id: string;
  /** ISO 8601; of a row that stands for several requests, that of the newest. */
  receivedAt: string;
  mode: Mode;
  type: string;
  method: string;
  path: string;
  status: number;
  /** `ACCEPTED`, `REPLAYED`, `OK`, or the code of the refusal. */
  code: string;
  /** How many requests the row stands for: floods of refusals share one for each minute. */
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
  /** UTC days, both included. */
  from?: string | undefined;
  to?: string | undefined;
}

/** What of the log is read: newest first, from `older` on; or, after `newer`, oldest first. */
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

/** An example that was made, and how many endpoints and terminals are told of it. */
export interface SentExample {
  event: { id: string; type: string };
  told: number;
}

/** A webhook that waits for who listens: to be signed, and sent on. */
export interface WaitingWebhook {
  id: string;
  /** The `webhook-id`. */
  eventId: string;
  type: string;
  /** The exact bytes. */
  body: string;
}

/** What the address that it was sent on to answered. */
export interface ForwardedWebhook {
  deliveryId: string;
  /** Null without an answer. */
  status: number | null;
  error: string | null;
  /** Up to 16,384 characters. */
  answer: string;
  durationMs: number;
}

export interface PortalClientOptions {
  /** Where the portal is, such as `https://partners.example.com`. */
  portalUrl: string;
  /** An access token of its user, made on the page of the account. */
  token: string;
  fetch?: typeof fetch | undefined;
  timeoutMs?: number | undefined;
  /** Ends whatever is being asked for. */
  ended?: AbortSignal | undefined;
}

/**
 * What a program may ask the portal for, in the name of whose token it has. Each method asks once; it
 * throws `PartnerApiError` for a refusal, `PartnerNetworkError` without an answer.
 */
export class PortalClient {
  readonly #portalUrl: string;
  readonly #headers: Record<string, string>;
  readonly #terms: Parameters<typeof exchange>[2];

  constructor({
    portalUrl,
    token,
    fetch = globalThis.fetch,
    timeoutMs = 25_000,
    ended,
  }: PortalClientOptions) {
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
    return this.#ask<TestMoved>('POST', `/test-clock/${encodeURIComponent(rewardId)}/${move}`);
  }

  /** Has the events of TEST kept for who listens, as long as they are asked for each minute. */
  startListener(wish: { forwardTo: string; eventTypes?: string[] | undefined }) {
    return this.#ask<{ listener: { id: string; eventTypes: string[] } }>(
      ...(['POST', '/webhooks/listeners', wish] as const),
    );
  }

  /** Tells TEST's endpoints, and who listens, an example of an event. @param type such as `invoice.issued` */
  sendExample(type: string) {
    return this.#ask<SentExample>('POST', '/webhooks/examples', { type });
  }

  /** What waits for a listener: the same again until it is reported as forwarded. */
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
      ...{ method, headers: this.#headers },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    };
    const { response, text } = await exchange(url, sent, this.#terms);
    return readAnswer<T>(response, text, { nowMs: Date.now(), idempotencyKey: undefined });
  }
}

const pathOf = (listenerId: string): string =>
  `/webhooks/listeners/${encodeURIComponent(listenerId)}`;
