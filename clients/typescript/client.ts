import { type AnswerMeta, readAnswer } from './answer.ts';
import { attempt, type Call, type Connection } from './attempt.ts';
import { PartnerApiError } from './errors.ts';
import { idempotencyKeyOf, requireSendable } from './idempotency-key.ts';
import type { RateLimit } from './rate-limit.ts';
import { retryDelayMs } from './retry.ts';
import type {
  BalanceRequest,
  BalanceResponse,
  BillingResponse,
  DifferencesResponse,
  ListType,
  OrderResponse,
  PlansResponse,
  PurchaseRequest,
  PurchaseResponse,
  QuoteRequest,
  QuoteResponse,
  ReceiptResponse,
  ReconciliationResponse,
  RedemptionReadResponse,
  RedemptionRequest,
  RedemptionResponse,
  RefundRequest,
  RefundResponse,
  RehearsalResponse,
  RewardResponse,
  UsageResponse,
} from './types.ts';

export interface PartnerClientOptions {
  /** The service's URL, such as `https://rewards.example.com`. */
  baseUrl: string;
  /** The API key; its mode, TEST or LIVE, is the client's mode. */
  key: string;
  /** The signing secret, exactly as shown. */
  secret: string;
  /** The brand word in the header names. */
  brand?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** For one attempt, including the response's body; 10,000 by default. A list has 1 s more for each 32 kB. */
  timeoutMs?: number | undefined;
  maxAttempts?: number | undefined;
  /**
   * Waits before a request that would exceed the rate limit according to the last response, rather than
   * sending it and being refused. Off by default.
   */
  waitForRateLimit?: boolean | undefined;
  /** Milliseconds since the Unix epoch. */
  now?: (() => number) | undefined;
  /** A number in [0, 1). */
  random?: (() => number) | undefined;
  sleep?: ((delayMs: number) => Promise<unknown>) | undefined;
}

export interface PostOptions {
  /**
   * The same for all retries of a request: 1 to 255 visible ASCII characters. Without it, it is derived from the ids
   * of the request (`idempotencyKeyOf`), so that a retry after a crash of your process is a replay, too.
   */
  idempotencyKey?: string | undefined;
}

/**
 * A partner's client of the service. Every method signs and sends a request, retries it if that can help
 * (network errors, timeouts, 408, 429, 500, 502, 503, 504), and returns the response's fields with `replayed` and
 * `requestId`; it throws `PartnerApiError` for a refusal, `PartnerNetworkError` without a response.
 */
export class PartnerClient {
  readonly #address: string;
  readonly #connection: Connection;
  readonly #maxAttempts: number;
  readonly #waitsForRateLimit: boolean;
  /** When the rate limit allows the next request; in the past if it allows one now. */
  #openAtMs = 0;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #sleep: (delayMs: number) => Promise<unknown>;

  /** @throws TypeError if the base URL is not an http(s) URL, or the key or the secret is empty or cannot be sent */
  constructor(options: PartnerClientOptions) {
    const { key, secret, brand, fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
    if (!key || !secret) throw new TypeError('key and secret must not be empty');
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new TypeError('the key must be visible ASCII characters');
    this.#address = `${parseBaseUrl(options.baseUrl)}/api/v1/partner`;
    this.#connection = { key, secret, brand, fetch, timeoutMs };
    this.#maxAttempts = options.maxAttempts ?? 7;
    this.#waitsForRateLimit = options.waitForRateLimit ?? false;
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#sleep = options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /** Reports a purchase, and returns the reward that it earned. */
  async purchase(request: PurchaseRequest, options?: PostOptions) {
    requireWhole({ subtotalCents: request.order.subtotalCents });
    const ids = ['purchase', request.externalOrderId];
    return this.#post<PurchaseResponse>('purchases', request, ids, options);
  }

  /**
   * Reports the refund of an earlier purchase. `ORIGINAL_PURCHASE_NOT_FOUND` means that the purchase was not
   * reported yet: report it, and then send the same refund with the same key again.
   */
  async refund(request: RefundRequest, options?: PostOptions) {
    const { externalOrderId, externalRefundId, amountCents } = request;
    requireWhole({ amountCents });
    const ids = ['refund', externalOrderId, ...(externalRefundId ? [externalRefundId] : [])];
    return this.#post<RefundResponse>('refunds', request, ids, options);
  }

  /** Ends the hold of an order, since nothing of it will come back. A repeat returns the order as it is. */
  releaseOrder(externalOrderId: string, options?: PostOptions) {
    const resource = `orders/${encodeURIComponent(externalOrderId)}/release`;
    return this.#post<OrderResponse>(resource, {}, ['releaseOrder', externalOrderId], options);
  }

  /** What a purchase would give now. Stores nothing. */
  async quote(request: QuoteRequest) {
    requireWhole({ subtotalCents: request.order.subtotalCents });
    return this.#ask<QuoteResponse>('quotes', request);
  }

  /** What a customer can spend now; zeros for one who was never seen. */
  balance(request: BalanceRequest) {
    return this.#ask<BalanceResponse>('balances', request);
  }

  /** Pays with a customer's points, or holds them for 15 minutes. */
  async redeem(request: RedemptionRequest, options?: PostOptions) {
    const { points, amountCents } = request;
    requireWhole({ points, amountCents });
    const ids = ['redemption', request.externalRedemptionId];
    return this.#post<RedemptionResponse>('redemptions', request, ids, options);
  }

  /** Spends points that are held: their order is paid. */
  capture(redemptionId: string, options?: PostOptions) {
    return this.#end(redemptionId, 'capture', options);
  }

  /** Gives points that are held back to the customer: their order was not placed. */
  release(redemptionId: string, options?: PostOptions) {
    return this.#end(redemptionId, 'release', options);
  }

  /** Gives spent points back to the customer: the order that they paid for is refunded. */
  reverse(redemptionId: string, options?: PostOptions) {
    return this.#end(redemptionId, 'reverse', options);
  }

  /** The current state of a purchase's reward. */
  reward(rewardId: string) {
    return this.#get<RewardResponse>(`rewards/${encodeURIComponent(rewardId)}`);
  }

  /** A redemption as it is now; a repeated capture returns it as it was then. */
  redemption(redemptionId: string) {
    return this.#get<RedemptionReadResponse>(`redemptions/${encodeURIComponent(redemptionId)}`);
  }

  /** What proves the entries of a LIVE reward to anyone; `verifyReceipt` of `partner-events/receipt` checks it. */
  receipt(rewardId: string) {
    return this.#get<ReceiptResponse>(`rewards/${encodeURIComponent(rewardId)}/receipt`);
  }

  /** The reward and the refunds of an order, by your own id. */
  order(externalOrderId: string) {
    return this.#get<OrderResponse>(`orders/${encodeURIComponent(externalOrderId)}`);
  }

  /**
   * Compares your own list of orders and refunds with what was reported, in the background.
   * @param list CSV or JSON lines, up to 5 MiB
   */
  async reconcile(list: string | Uint8Array, contentType: ListType = 'text/csv') {
    const url = new URL(`${this.#address}/reconciliations`);
    const body = typeof list === 'string' ? new TextEncoder().encode(list) : new Uint8Array(list);
    const call = { method: 'POST' as const, url, body, contentType, idempotencyKey: undefined };
    return await this.#send<ReconciliationResponse>(call);
  }

  /** A reconciliation: its counts once it is done, and the first of its differences. */
  reconciliation(id: string) {
    return this.#get<ReconciliationResponse>(`reconciliations/${encodeURIComponent(id)}`);
  }

  /** A page of the differences of a reconciliation, from 1. */
  differences(id: string, page: number) {
    return this.#get<DifferencesResponse>(
      `reconciliations/${encodeURIComponent(id)}/pages/${page}`,
    );
  }

  /** Makes TEST hard for this TEST key, for some minutes: what fails is worth sending again. */
  startRehearsal(minutes?: number) {
    return this.#ask<RehearsalResponse>('test/rehearsals', { minutes });
  }

  /** A rehearsal of this key, and how the integration did. */
  rehearsal(id: string) {
    return this.#get<RehearsalResponse>(`test/rehearsals/${encodeURIComponent(id)}`);
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
    return this.#send<T>({ method: 'GET', url, body: new Uint8Array(), idempotencyKey: undefined });
  }

  #end(redemptionId: string, action: string, options?: PostOptions) {
    const resource = `redemptions/${encodeURIComponent(redemptionId)}/${action}`;
    return this.#post<RedemptionResponse>(resource, {}, [action, redemptionId], options);
  }

  async #post<T>(
    resource: string,
    request: object,
    ids: readonly string[],
    { idempotencyKey: given }: PostOptions = {},
  ) {
    const idempotencyKey =
      given === undefined ? await idempotencyKeyOf(...ids) : requireSendable(given);
    return this.#ask<T>(resource, request, idempotencyKey);
  }

  #ask<T>(resource: string, request: object, idempotencyKey?: string) {
    const url = new URL(`${this.#address}/${resource}`);
    // Serialized once: with other bytes, a retry would be an idempotency conflict.
    const body = new TextEncoder().encode(JSON.stringify(request));
    return this.#send<T>({ method: 'POST', url, body, idempotencyKey });
  }

  async #send<T>(call: Call): Promise<T & AnswerMeta> {
    const { idempotencyKey } = call;
    for (let attempts = 1; ; attempts += 1) {
      try {
        await this.#waitForPermission();
        const { response, text } = await attempt(this.#connection, call, this.#now());
        const answer = readAnswer<T>(response, text, { nowMs: this.#now(), idempotencyKey });
        this.#note(answer.rateLimit);
        return answer;
      } catch (error) {
        if (error instanceof PartnerApiError) this.#note(error.rateLimit);
        const delayMs = retryDelayMs(error, attempts, this.#random());
        if (delayMs === null || attempts >= this.#maxAttempts) throw error;
        await this.#sleep(delayMs);
      }
    }
  }

  async #waitForPermission(): Promise<void> {
    const waitMs = this.#openAtMs - this.#now();
    if (this.#waitsForRateLimit && waitMs > 0) await this.#sleep(waitMs);
  }

  #note(rateLimit: RateLimit | undefined): void {
    if (!rateLimit) return;
    const waitMs = rateLimit.remaining > 0 ? 0 : rateLimit.resetSeconds * 1000;
    this.#openAtMs = this.#now() + waitMs;
  }
}

/** The base URL without a trailing slash. Its path is kept and signed. */
function parseBaseUrl(baseUrl: string): string {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(`"${baseUrl}" is not an http:// or https:// URL`);
  }
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/** JSON makes null of NaN, which stands for all that is left. @throws TypeError for what is no whole number */
function requireWhole(amounts: Record<string, number | null | undefined>): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount === undefined || amount === null || Number.isSafeInteger(amount)) continue;
    throw new TypeError(`${name} must be a whole number, not ${amount}`);
  }
}
