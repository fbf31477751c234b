import { createInterface } from 'node:readline';
import {
  type BalanceRequest,
  type ListType,
  PartnerApiError,
  PartnerClient,
  type PartnerClientOptions,
  PartnerNetworkError,
  type PurchaseRequest,
  type QuoteRequest,
  type RedemptionRequest,
  type RefundRequest,
  signRequest,
  verifyWebhook,
  WebhookVerificationError,
} from '../../typescript/index.ts';
import { canonicalString } from '../../typescript/signature.ts';

/** Carries out the commands of the conformance suite, one JSON line each. */

interface Ask extends PartnerClientOptions {
  options?: Partial<PartnerClientOptions>;
  calls: Call[];
}

type Call = { idempotencyKey?: string } & (
  | { method: 'purchase'; request: PurchaseRequest }
  | { method: 'refund'; request: RefundRequest }
  | { method: 'quote'; request: QuoteRequest }
  | { method: 'balance'; request: BalanceRequest }
  | { method: 'redeem'; request: RedemptionRequest }
  | { method: 'capture' | 'release' | 'reverse'; request: { redemptionId: string } }
  | { method: 'reward'; request: { rewardId: string } }
  | { method: 'order' | 'releaseOrder'; request: { externalOrderId: string } }
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
  const client = new PartnerClient({
    baseUrl,
    key,
    secret,
    ...options,
    // Advances only while the client sleeps.
    now: () => sleptMs.reduce((sum, ms) => sum + ms, startMs),
    random: () => 0.5,
    sleep: async (ms) => sleptMs.push(ms),
  });
  const outcomes: object[] = [];
  for (const call of calls) {
    try {
      const answer = await perform(client, call);
      const { replayed, requestId, rateLimit, ...body } = answer;
      outcomes.push({ body, replayed, requestId, rateLimit });
    } catch (error) {
      outcomes.push(told(error));
    }
  }
  return { outcomes, sleptMs };
}

async function perform(client: PartnerClient, call: Call) {
  const { idempotencyKey } = call;
  if (call.method === 'purchase') return await client.purchase(call.request, { idempotencyKey });
  if (call.method === 'refund') return await client.refund(call.request, { idempotencyKey });
  if (call.method === 'quote') return await client.quote(call.request);
  if (call.method === 'balance') return await client.balance(call.request);
  if (call.method === 'redeem') return await client.redeem(call.request, { idempotencyKey });
  if (call.method === 'capture' || call.method === 'release' || call.method === 'reverse') {
    return await client[call.method](call.request.redemptionId, { idempotencyKey });
  }
  if (call.method === 'reward') return await client.reward(call.request.rewardId);
  switch (call.method) {
    case 'releaseOrder':
      return await client.releaseOrder(call.request.externalOrderId, { idempotencyKey });
    case 'order':
      return await client.order(call.request.externalOrderId);
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
    default:
      return await client[call.method]();
  }
}

function told(error: unknown): object {
  if (error instanceof PartnerNetworkError) {
    return { error: 'NETWORK', message: error.message, key: error.idempotencyKey };
  }
  if (error instanceof TypeError) return { error: 'INVALID', message: error.message };
  if (!(error instanceof PartnerApiError)) throw error;
  const { code, status, message, requestId, retryAfterMs, rateLimit, idempotencyKey: key } = error;
  return { error: code, status, message, requestId, retryAfterMs, rateLimit, key };
}

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

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line) as Ask & { vector?: Vector; webhook?: Webhook };
  const reply = ask.vector
    ? await vector(ask.vector)
    : ask.webhook
      ? await webhook(ask.webhook)
      : await run(ask);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
