import { type AnswerMeta, readAnswer } from './answer.ts';
import { attempt, type Call, type Connection } from './attempt.ts';
import { PartnerApiError } from './errors.ts';
import { idempotencyKeyOf, requireSendable } from './idempotency-key.ts';
import type { RateLimit } from './rate-limit.ts';
import { longestRetryAfterMs, retryDelayMs } from './retry.ts';
import type {
  BalanceRequest,
  BalanceResponse,
  BillingResponse,
  DifferencesResponse,
  ListQuery,
  ListType,
  Order,
  OrderListResponse,
  OrderQuery,
  OrderResponse,
  PlansResponse,
  PurchaseRequest,
  PurchaseResponse,
  QuoteRequest,
  QuoteResponse,
  ReceiptResponse,
  ReconciliationResponse,
  Redemption,
  RedemptionListResponse,
  RedemptionQuery,
  RedemptionReadResponse,
  RedemptionRequest,
  RedemptionResponse,
  RefundRequest,
  RefundResponse,
  RehearsalResponse,
  ReversedPart,
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
  /** 7 by default. */
  maxAttempts?: number | undefined;
  /** The longest `Retry-After` to wait for; 60,000 by default. The error tells of a longer one. */
  maxRetryAfterMs?: number | undefined;
  /** Is told of each attempt, for logs and traces. What it throws is ignored. */
  onAttempt?: ((attempt: AttemptReport) => void) | undefined;
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

/** What happened to one attempt: no secret, no header and no body. */
export interface AttemptReport {
  method: 'GET' | 'POST';
  /** With the query of a list. */
  path: string;
  /** From 1. */
  attempt: number;
  durationMs: number;
  /** Undefined without a response. */
  status: number | undefined;
  requestId: string | undefined;
  idempotencyKey: string | undefined;
  /** Why it failed; undefined if it did not. */
  error: Error | undefined;
  /** How long until the next attempt; null if there is none. */
  retryInMs: number | null;
}

/** Of one call; what is absent is as the client has it. */
export interface CallOptions {
  timeoutMs?: number | undefined;
  maxAttempts?: number | undefined;
  maxRetryAfterMs?: number | undefined;
  /** Ends the call, which then throws the reason of the signal. What was sent may have been carried out. */
  signal?: AbortSignal | undefined;
}

export interface PostOptions extends CallOptions {
  /**
   * The same for all retries of a request: 1 to 255 visible ASCII characters. Without it, it is derived from the ids
   * of the request (`idempotencyKeyOf`), so that a retry after a crash of your process is a replay, too.
   */
  idempotencyKey?: string | undefined;
}

/**
 * A partner's client of the service. Every method signs and sends a request, retries it if that can help
 * (network errors, timeouts, 408, 429, 500, 502, 503, 504), and returns the response's fields with `replayed` and
 * `requestId`; it throws a `PartnerError`: a `PartnerApiError` of its kind for a refusal, `ConnectionError` without a
 * response.
 */
export class PartnerClient {
  readonly #address: string;
  readonly #connection: Connection;
  readonly #maxAttempts: number;
  readonly #maxRetryAfterMs: number;
  readonly #onAttempt: ((attempt: AttemptReport) => void) | undefined;
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
    this.#maxRetryAfterMs = options.maxRetryAfterMs ?? longestRetryAfterMs;
    this.#onAttempt = options.onAttempt;
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
  async quote(request: QuoteRequest, options?: CallOptions) {
    requireWhole({ subtotalCents: request.order.subtotalCents });
    return this.#ask<QuoteResponse>('quotes', request, options);
  }

  /** What a customer can spend now; zeros for one who was never seen. */
  balance(request: BalanceRequest, options?: CallOptions) {
    return this.#ask<BalanceResponse>('balances', request, options);
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

  /** Gives spent points back to the customer, all that are left: the order that they paid for is refunded. */
  reverse(redemptionId: string, options?: PostOptions) {
    return this.#end(redemptionId, 'reverse', options);
  }

  /**
   * Gives a part of them back: a part of the order is refunded.
   * @param options.idempotencyKey of this part, such as your id of the refund: two equal parts are two
   */
  async reversePart(
    redemptionId: string,
    part: ReversedPart,
    options: PostOptions & { idempotencyKey: string },
  ) {
    const { points, amountCents } = part;
    requireWhole({ points, amountCents });
    if ((points ?? amountCents) === undefined) throw new TypeError('give points or amountCents');
    const resource = `redemptions/${encodeURIComponent(redemptionId)}/reverse`;
    return this.#post<RedemptionResponse>(resource, { points, amountCents }, [], {
      ...options,
      idempotencyKey: requireSendable(options.idempotencyKey),
    });
  }

  /** The current state of a purchase's reward. */
  reward(rewardId: string, options?: CallOptions) {
    return this.#get<RewardResponse>(`rewards/${encodeURIComponent(rewardId)}`, options);
  }

  /** A redemption as it is now; a repeated capture returns it as it was then. */
  redemption(redemptionId: string, options?: CallOptions) {
    const resource = `redemptions/${encodeURIComponent(redemptionId)}`;
    return this.#get<RedemptionReadResponse>(resource, options);
  }

  /** What proves the entries of a LIVE reward to anyone; `verifyReceipt` of `partner-events/receipt` checks it. */
  receipt(rewardId: string, options?: CallOptions) {
    return this.#get<ReceiptResponse>(`rewards/${encodeURIComponent(rewardId)}/receipt`, options);
  }

  /** An order as it is now, by your own id: what is left of it, its reward, refunds and redemptions. */
  order(externalOrderId: string, options?: CallOptions) {
    return this.#get<OrderResponse>(`orders/${encodeURIComponent(externalOrderId)}`, options);
  }

  /** A page of the orders that your integration reported, the newest change first. */
  orders(query: OrderQuery = {}, options?: CallOptions) {
    return this.#list<OrderListResponse>('orders', query, options);
  }

  /** The same orders one by one; the next page is read when it is needed. */
  async *allOrders(
    query: Omit<OrderQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Order, void> {
    const pages = pagesOf((cursor) => this.orders({ ...query, cursor }, options));
    for await (const { orders } of pages) yield* orders;
  }

  /** A page of the redemptions of your integration, the newest change first. */
  redemptions(query: RedemptionQuery = {}, options?: CallOptions) {
    return this.#list<RedemptionListResponse>('redemptions', query, options);
  }

  /** The same redemptions one by one; the next page is read when it is needed. */
  async *allRedemptions(
    query: Omit<RedemptionQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Redemption, void> {
    const pages = pagesOf((cursor) => this.redemptions({ ...query, cursor }, options));
    for await (const { redemptions } of pages) yield* redemptions;
  }

  /**
   * Compares your own list of orders and refunds with what was reported, in the background.
   * @param list CSV or JSON lines, up to 5 MiB
   */
  async reconcile(
    list: string | Uint8Array,
    contentType: ListType = 'text/csv',
    options?: CallOptions,
  ) {
    const url = new URL(`${this.#address}/reconciliations`);
    const body = typeof list === 'string' ? new TextEncoder().encode(list) : new Uint8Array(list);
    const call = { method: 'POST' as const, url, body, contentType, idempotencyKey: undefined };
    return await this.#send<ReconciliationResponse>(call, options);
  }

  /** A reconciliation: its counts once it is done, and the first of its differences. */
  reconciliation(id: string, options?: CallOptions) {
    return this.#get<ReconciliationResponse>(`reconciliations/${encodeURIComponent(id)}`, options);
  }

  /** A page of the differences of a reconciliation, from 1. */
  differences(id: string, page: number, options?: CallOptions) {
    const resource = `reconciliations/${encodeURIComponent(id)}/pages/${page}`;
    return this.#get<DifferencesResponse>(resource, options);
  }

  /** Makes TEST hard for this TEST key, for some minutes: what fails is worth sending again. */
  startRehearsal(minutes?: number, options?: CallOptions) {
    return this.#ask<RehearsalResponse>('test/rehearsals', { minutes }, options);
  }

  /** A rehearsal of this key, and how the integration did. */
  rehearsal(id: string, options?: CallOptions) {
    return this.#get<RehearsalResponse>(`test/rehearsals/${encodeURIComponent(id)}`, options);
  }

  /** The published plan versions. */
  plans(options?: CallOptions) {
    return this.#get<PlansResponse>('plans', options);
  }

  /** The current billing period's points, with a projection and the newest events. */
  usage(options?: CallOptions) {
    return this.#get<UsageResponse>('usage', options);
  }

  /** The subscription, the wallet and the newest invoices. */
  billing(options?: CallOptions) {
    return this.#get<BillingResponse>('billing', options);
  }

  #get<T>(resource: string, options?: CallOptions) {
    const url = new URL(`${this.#address}/${resource}`);
    const call = { method: 'GET' as const, url, body: new Uint8Array(), idempotencyKey: undefined };
    return this.#send<T>(call, options);
  }

  /** A contact is never in a URL: the list of a customer is a POST. */
  #list<T>(
    resource: string,
    { customer, ...query }: ListQuery & { status?: string | undefined },
    options?: CallOptions,
  ) {
    if (customer !== undefined) {
      return this.#ask<T>(`${resource}/search`, { customer, ...query }, options);
    }
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      given.set(name, value instanceof Date ? value.toISOString() : String(value));
    }
    const text = given.toString();
    return this.#get<T>(text === '' ? resource : `${resource}?${text}`, options);
  }

  #end(redemptionId: string, action: string, options?: PostOptions) {
    const resource = `redemptions/${encodeURIComponent(redemptionId)}/${action}`;
    return this.#post<RedemptionResponse>(resource, {}, [action, redemptionId], options);
  }

  async #post<T>(
    resource: string,
    request: object,
    ids: readonly string[],
    { idempotencyKey: given, ...options }: PostOptions = {},
  ) {
    const idempotencyKey =
      given === undefined ? await idempotencyKeyOf(...ids) : requireSendable(given);
    return this.#ask<T>(resource, request, options, idempotencyKey);
  }

  #ask<T>(resource: string, request: object, options?: CallOptions, idempotencyKey?: string) {
    const url = new URL(`${this.#address}/${resource}`);
    // Serialized once: with other bytes, a retry would be an idempotency conflict.
    const body = new TextEncoder().encode(JSON.stringify(request));
    return this.#send<T>({ method: 'POST', url, body, idempotencyKey }, options);
  }

  async #send<T>(call: Call, options: CallOptions = {}): Promise<T & AnswerMeta> {
    const { idempotencyKey } = call;
    const { timeoutMs = this.#connection.timeoutMs, maxAttempts = this.#maxAttempts } = options;
    const { maxRetryAfterMs = this.#maxRetryAfterMs, signal } = options;
    const connection = { ...this.#connection, timeoutMs };
    for (let attempts = 1; ; attempts += 1) {
      await this.#waitForPermission(signal);
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const seen: Seen = { status: undefined, requestId: undefined };
      try {
        const { response, text } = await attempt(connection, call, this.#now(), signal);
        seen.status = response.status;
        seen.requestId = response.headers.get('x-request-id') ?? undefined;
        const answer = readAnswer<T>(response, text, { nowMs: this.#now(), idempotencyKey });
        this.#note(answer.rateLimit);
        this.#report(call, attempts, startedAt, { ...seen, error: undefined, retryInMs: null });
        return answer;
      } catch (error) {
        if (error instanceof PartnerApiError) this.#note(error.rateLimit);
        const delayMs = retryDelayMs(error, attempts, this.#random(), maxRetryAfterMs);
        const isLast = delayMs === null || attempts >= maxAttempts || signal?.aborted === true;
        const failed = { error: error as Error, retryInMs: isLast ? null : delayMs };
        this.#report(call, attempts, startedAt, { ...seen, ...failed });
        signal?.throwIfAborted();
        if (isLast) throw error;
        await this.#pause(delayMs, signal);
      }
    }
  }

  #report(
    { method, url, idempotencyKey }: Call,
    attempts: number,
    startedAt: number,
    result: Seen & Pick<AttemptReport, 'error' | 'retryInMs'>,
  ): void {
    const path = url.pathname + url.search;
    const durationMs = Math.round(performance.now() - startedAt);
    try {
      this.#onAttempt?.({ method, path, attempt: attempts, durationMs, idempotencyKey, ...result });
    } catch {
      // A logger that fails must not fail a purchase.
    }
  }

  async #pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal === undefined) return void (await this.#sleep(delayMs));
    let stop = () => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      await Promise.race([this.#sleep(delayMs), aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #waitForPermission(signal: AbortSignal | undefined): Promise<void> {
    const waitMs = this.#openAtMs - this.#now();
    if (this.#waitsForRateLimit && waitMs > 0) await this.#pause(waitMs, signal);
  }

  #note(rateLimit: RateLimit | undefined): void {
    if (!rateLimit) return;
    const waitMs = rateLimit.remaining > 0 ? 0 : rateLimit.resetSeconds * 1000;
    this.#openAtMs = this.#now() + waitMs;
  }
}

type Seen = Pick<AttemptReport, 'status' | 'requestId'>;

/** The pages of a list, each read when it is needed. */
async function* pagesOf<Page extends { nextCursor: string | null }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
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
