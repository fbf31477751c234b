import { Agent, request } from 'node:http';
import { signedHeaders } from '../../../clients/typescript/signature.ts';
import type { PartnerAccess, PreparedWork, Work } from './work.ts';

const patienceMs = 10_000;
const purchasesPath = '/api/v1/partner/purchases';
const refundsPath = '/api/v1/partner/refunds';

interface Message {
  method: 'GET' | 'POST';
  pathname: string;
  body: string;
  idempotencyKey?: string;
}

export type HttpWork = Extract<Work, { access: PartnerAccess }>;

/** Signed requests over keep-alive connections, like those of a partner's server. */
export function createRequests(work: HttpWork, concurrency: number): PreparedWork {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  return {
    runOne: (index) => send(agent, work.access, messageOf(work, index)),
    close: async () => agent.destroy(),
  };
}

function messageOf(work: HttpWork, index: number): Message {
  switch (work.kind) {
    case 'purchases':
      return { ...purchase(work.orders, index), pathname: purchasesPath };
    case 'replays':
      return { ...purchase(work.orders, index % work.of), pathname: purchasesPath };
    case 'claims':
      return { method: 'POST', pathname: `/claim/${work.tokens[index]}`, body: '' };
    case 'refunds':
      return refund(work.orders, index);
    case 'reads':
      return { method: 'GET', pathname: work.pathname, body: '' };
    case 'floor':
      return { ...purchase('floor', index), pathname: work.pathname };
  }
}

const customers = 1_000;

function purchase(orders: string, index: number): Omit<Message, 'pathname'> {
  const externalOrderId = `${orders}-${index}`;
  const body = JSON.stringify({
    externalOrderId,
    customer: { email: `customer-${index % customers}@example.com` },
    order: { subtotalCents: 4_990, currency: 'USD' },
    metadata: { channel: 'web', basket: ['coffee', 'filter'] },
  });
  return { method: 'POST', body, idempotencyKey: `purchase:${externalOrderId}` };
}

function refund(orders: string, index: number): Message {
  const externalOrderId = `${orders}-${index}`;
  const body = JSON.stringify({ externalOrderId, externalRefundId: `refund-${externalOrderId}` });
  return {
    method: 'POST',
    pathname: refundsPath,
    body,
    idempotencyKey: `refund:${externalOrderId}`,
  };
}

function send(
  agent: Agent,
  { baseUrl, key, secret }: PartnerAccess,
  message: Message,
): Promise<number> {
  const { method, pathname, body, idempotencyKey } = message;
  const headers = signedHeaders({
    key,
    secret,
    method,
    pathname,
    body,
    idempotencyKey,
    nowSeconds: Date.now() / 1000,
  });
  return new Promise((resolve) => {
    const sent = request(baseUrl + pathname, {
      method,
      agent,
      timeout: patienceMs,
      headers: { ...headers, accept: 'application/json' },
    });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}
