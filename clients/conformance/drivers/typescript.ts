import { createInterface } from 'node:readline';
import {
  type AttemptReport,
  type BalanceRequest,
  type CallOptions,
  ConnectionError,
  type ListType,
  type OrderQuery,
  PartnerApiError,
  PartnerClient,
  type PartnerClientOptions,
  type PurchaseRequest,
  type QuoteRequest,
  type RedemptionQuery,
  type RedemptionRequest,
  type RefundRequest,
  signRequest,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../typescript/index.ts';
import { canonicalString } from '../../typescript/signature.ts';

/** Carries out the commands of the conformance suite, one JSON line each. */

interface Ask extends PartnerClientOptions {
  options?: Partial<PartnerClientOptions>;
  calls: Call[];
}

type Call = { idempotencyKey?: string; options?: CallOptions } & (
  | { method: 'purchase'; request: PurchaseRequest }
  | { method: 'refund'; request: RefundRequest }
  | { method: 'quote'; request: QuoteRequest }
  | { method: 'balance'; request: BalanceRequest }
  | { method: 'redeem'; request: RedemptionRequest }
  | { method: 'capture' | 'release' | 'reverse'; request: { redemptionId: string } }
  | { method: 'reversePart'; request: { redemptionId: string; points: number } }
  | { method: 'reward'; request: { rewardId: string } }
  | { method: 'order' | 'releaseOrder'; request: { externalOrderId: string } }
  | { method: 'orders' | 'allOrders'; request: OrderQuery }
  | { method: 'redemptions' | 'allRedemptions'; request: RedemptionQuery }
  | { method: 'reconcile'; request: { orders: string; contentType?: ListType } }
  | { method: 'reconciliation'; request: { reconciliationId: string } }
  | { method: 'differences'; request: { reconciliationId: string; page: number } }
  | { method: 'redemption'; request: { redemptionId: string } }
  | { method: 'receipt'; request: { rewardId: string } }
  | { method: 'startRehearsal'; request: { minutes: number } }
  | { method: 'rehearsal'; request: { rehearsalId: string } }
  | { method: 'plans' | 'usage' | 'billing' }
);

interface Vector {
  secret: string;
  method: string;
  pathname: string;
  timestamp: string;
  bodyHex: string;
}

const startMs = 1_700_000_000_000;

async function run({ calls, options, baseUrl, key, secret }: Ask) {
  const sleptMs: number[] = [];
  const attempts: object[] = [];
  const client = new PartnerClient({
    baseUrl,
    key,
    secret,
    ...options,
    // Advances only while the client sleeps.
    now: () => sleptMs.reduce((sum, ms) => sum + ms, startMs),
    random: () => 0.5,
    sleep: async (ms) => sleptMs.push(ms),
    onAttempt: ({ durationMs: _, error, ...attempt }: AttemptReport) => {
      const { status = null, requestId = null, idempotencyKey = null } = attempt;
      const failure = error === undefined ? null : kindOf(error);
      attempts.push({ ...attempt, status, requestId, idempotencyKey, error: failure });
      throw new Error('a logger that fails');
    },
  });
  const outcomes: object[] = [];
  for (const call of calls) {
    try {
      const items = await itemsOf(client, call);
      if (items !== undefined) {
        outcomes.push({ items });
        continue;
      }
      const answer = await perform(client, call);
      const { replayed, requestId, rateLimit, ...body } = answer;
      outcomes.push({ body, replayed, requestId, rateLimit });
    } catch (error) {
      outcomes.push(told(error));
    }
  }
  return { outcomes, attempts, sleptMs };
}

/** All of a list; undefined for what is no list. */
async function itemsOf(client: PartnerClient, call: Call): Promise<object[] | undefined> {
  if (call.method === 'allOrders') return await listOf(client.allOrders(call.request));
  if (call.method !== 'allRedemptions') return undefined;
  return await listOf(client.allRedemptions(call.request));
}

async function listOf(all: AsyncIterable<object>): Promise<object[]> {
  const items: object[] = [];
  for await (const one of all) items.push(one);
  return items;
}

async function perform(client: PartnerClient, call: Call) {
  const { options } = call;
  const keyed = { ...options, idempotencyKey: call.idempotencyKey };
  if (call.method === 'purchase') return await client.purchase(call.request, keyed);
  if (call.method === 'refund') return await client.refund(call.request, keyed);
  if (call.method === 'quote') return await client.quote(call.request, options);
  if (call.method === 'balance') return await client.balance(call.request);
  if (call.method === 'redeem') return await client.redeem(call.request, keyed);
  if (call.method === 'capture' || call.method === 'release' || call.method === 'reverse') {
    return await client[call.method](call.request.redemptionId, keyed);
  }
  if (call.method === 'reversePart') {
    const { redemptionId, ...part } = call.request;
    return await client.reversePart(redemptionId, part, {
      ...keyed,
      idempotencyKey: call.idempotencyKey ?? '',
    });
  }
  if (call.method === 'reward') return await client.reward(call.request.rewardId);
  switch (call.method) {
    case 'releaseOrder':
      return await client.releaseOrder(call.request.externalOrderId, keyed);
    case 'order':
      return await client.order(call.request.externalOrderId);
    case 'orders':
      return await client.orders(call.request);
    case 'redemptions':
      return await client.redemptions(call.request);
    case 'reconcile':
      return await client.reconcile(call.request.orders, call.request.contentType);
    case 'reconciliation':
      return await client.reconciliation(call.request.reconciliationId);
    case 'differences':
      return await client.differences(call.request.reconciliationId, call.request.page);
    case 'redemption':
      return await client.redemption(call.request.redemptionId);
    case 'receipt':
      return await client.receipt(call.request.rewardId);
    case 'startRehearsal':
      return await client.startRehearsal(call.request.minutes);
    case 'rehearsal':
      return await client.rehearsal(call.request.rehearsalId);
    case 'plans':
    case 'usage':
    case 'billing':
      return await client[call.method](options);
    default:
      throw new Error(`${call.method} is no method of a single answer`);
  }
}

function told(error: unknown): object {
  if (error instanceof ConnectionError) {
    const { message, idempotencyKey: key } = error;
    return { error: 'NETWORK', kind: kindOf(error), message, key };
  }
  if (error instanceof TypeError) return { error: 'INVALID', message: error.message };
  if (!(error instanceof PartnerApiError)) throw error;
  const { code, status, message, requestId, retryAfterMs, rateLimit, idempotencyKey: key } = error;
  return {
    error: code,
    kind: kindOf(error),
    status,
    message,
    requestId,
    retryAfterMs,
    rateLimit,
    key,
  };
}

/** The class without its ending, which differs between languages. */
const kindOf = ({ name }: Error): string => name.replace(/Error$/, '');

async function vector({ secret, method, pathname, timestamp, bodyHex }: Vector) {
  const body = Buffer.from(bodyHex, 'hex');
  const nowSeconds = Number(timestamp);
  const headers = await signRequest({ key: 'k', secret, method, pathname, body, nowSeconds });
  const canonical = canonicalString({ method, pathname, timestamp, body });
  return { canonical, signature: headers['X-Partner-Signature'] };
}

interface Webhook {
  secrets: string[];
  headers: Record<string, string>;
  bodyHex: string;
  now: number;
}

async function webhook({ secrets, headers, bodyHex, now }: Webhook) {
  try {
    const options = { now: () => now * 1000 };
    return { event: await verifyWebhook(Buffer.from(bodyHex, 'hex'), headers, secrets, options) };
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { error: error.code };
    throw error;
  }
}

interface ToSign {
  id: string;
  secret: string;
  at: number;
  bodyHex: string;
}

const signed = async ({ bodyHex, id, secret, at }: ToSign) => ({
  headers: await signWebhook(Buffer.from(bodyHex, 'hex'), { id, secret, atSeconds: at }),
});

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line) as Ask & { vector?: Vector; webhook?: Webhook; sign?: ToSign };
  const reply = ask.vector
    ? await vector(ask.vector)
    : ask.webhook
      ? await webhook(ask.webhook)
      : ask.sign
        ? await signed(ask.sign)
        : await run(ask);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
