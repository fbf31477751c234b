import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type AnswerMeta, readAnswer } from './answer.ts';
import { attempt, type Call, type Connection } from './attempt.ts';
import { retryDelayMs } from './retry.ts';
import type {
  BillingResponse,
  PlansResponse,
  PurchaseRequest,
  PurchaseResponse,
  RefundRequest,
  RefundResponse,
  UsageResponse,
} from './types.ts';

export interface PartnerClientOptions {
  /** Where the service is, such as `https://rewards.example.com`. */
  baseUrl: string;
  /** The API key; its mode, TEST or LIVE, is the client's mode. */
  key: string;
  /** The raw signing secret, as it was shown. */
  secret: string;
  /** The brand word in the header names. */
  brand?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** For one attempt, its answer's body included. */
  timeoutMs?: number | undefined;
  maxAttempts?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  now?: (() => number) | undefined;
  /** A number in [0, 1). */
  random?: (() => number) | undefined;
  sleep?: ((delayMs: number) => Promise<unknown>) | undefined;
}

export interface PostOptions {
  /**
   * Stable per logical request: 1 to 255 visible ASCII characters. Derive it from what you store
   * (`purchase:<order id>`), so that a retry after a crash of your own process replays as well.
   * Without it, each call gets a random one that holds for this call's attempts.
   */
  idempotencyKey?: string | undefined;
}

/**
 * A partner's connection to the service. Every method signs, sends, retries what can be retried
 * (network errors, timeouts, 429, 500, 502, 503, 504), and gives the answer's fields with `replayed` and
 * `requestId`; it throws `PartnerApiError` for a refusal, `PartnerNetworkError` without an answer.
 */
export class PartnerClient {
  readonly #address: string;
  readonly #connection: Connection;
  readonly #maxAttempts: number;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #sleep: (delayMs: number) => Promise<unknown>;

  /** @throws TypeError when the base URL is not an http(s) URL, or the key or the secret is empty */
  constructor(options: PartnerClientOptions) {
    const { key, secret, brand, fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
    if (!key || !secret) throw new TypeError('key and secret must not be empty');
    this.#address = `${parseBaseUrl(options.baseUrl)}/api/v1/partner`;
    this.#connection = { key, secret, brand, fetch, timeoutMs };
    this.#maxAttempts = options.maxAttempts ?? 5;
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#sleep = options.sleep ?? ((delayMs) => setTimeout(delayMs));
  }

  /** Reports a purchase, and gives the reward it earned. */
  purchase(request: PurchaseRequest, options?: PostOptions) {
    return this.#post<PurchaseResponse>('purchases', request, options);
  }

  /** Reports the refund of an earlier purchase. */
  refund(request: RefundRequest, options?: PostOptions) {
    return this.#post<RefundResponse>('refunds', request, options);
  }

  /** The published plan versions. */
  plans() {
    return this.#get<PlansResponse>('plans');
  }

  /** The current billing period's points, with a projection and the newest events. */
  usage() {
    return this.#get<UsageResponse>('usage');
  }

  /** The subscription, the wallet and the newest invoices. */
  billing() {
    return this.#get<BillingResponse>('billing');
  }

  #get<T>(resource: string) {
    const url = new URL(`${this.#address}/${resource}`);
    return this.#send<T>({ method: 'GET', url, body: Buffer.alloc(0), idempotencyKey: undefined });
  }

  async #post<T>(
    resource: string,
    request: object,
    { idempotencyKey = randomUUID() }: PostOptions = {},
  ) {
    const url = new URL(`${this.#address}/${resource}`);
    // Serialized once: every attempt must carry the same bytes, or the key would be a conflict.
    const body = Buffer.from(JSON.stringify(request));
    return this.#send<T>({ method: 'POST', url, body, idempotencyKey });
  }

  async #send<T>(call: Call): Promise<T & AnswerMeta> {
    const { idempotencyKey } = call;
    for (let attempts = 1; ; attempts += 1) {
      try {
        const { response, text } = await attempt(this.#connection, call, this.#now());
        return readAnswer<T>(response, text, { nowMs: this.#now(), idempotencyKey });
      } catch (error) {
        const delayMs = retryDelayMs(error, attempts, this.#random());
        if (delayMs === null || attempts >= this.#maxAttempts) throw error;
        await this.#sleep(delayMs);
      }
    }
  }
}

/** The base address without a slash at its end; a path in it is kept, and signed. */
function parseBaseUrl(baseUrl: string): string {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(`"${baseUrl}" is not an http:// or https:// URL`);
  }
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}
