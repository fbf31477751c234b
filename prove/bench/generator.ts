import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { signedHeaders } from '../../clients/typescript/signature.ts';
import { answerParent } from './child.ts';
import { type Answers, answersOf } from './figures.ts';

export interface PartnerAccess {
  /** Requests take turns between them. */
  baseUrls: string[];
  key: string;
  secret: string;
}

/** What the load generator can do repeatedly. Orders are named after `orders` and numbered from 0. */
export type Work =
  /** @property customer of all orders; by default a thousand take turns */
  | { kind: 'purchases'; access: PartnerAccess; orders: string; customer?: string }
  | { kind: 'refunds'; access: PartnerAccess; orders: string }
  /** Redemptions of a point, by the customers of purchases in turn. */
  | { kind: 'redemptions'; access: PartnerAccess; orders: string }
  /** Claims by the customers' links on the portal, each once. */
  | { kind: 'claims'; access: PartnerAccess; tokens: readonly string[] }
  /** A signed read from the API. */
  | { kind: 'reads'; access: PartnerAccess; pathname: string }
  /** A purchase request to the floor server. */
  | { kind: 'floor'; access: PartnerAccess; pathname: string }
  /** A page of the portal, for a signed-in user. */
  | { kind: 'page'; url: string; cookie: string };

/** Work to do `count` times with some concurrency. */
export interface LoadJob {
  work: Work;
  concurrency: number;
  count: number;
}

interface Message {
  method: 'GET' | 'POST';
  pathname: string;
  body: string;
  idempotencyKey?: string;
}

const patienceMs = 30_000;
const customers = 1_000;

// In a process of its own, so that its signing and sending do not count towards the service.
if (import.meta.main) answerParent<LoadJob, Answers>(generate);

async function generate({ work, concurrency, count }: LoadJob): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const timesMs: number[] = [];
  const errors: Record<string, number> = {};
  let next = 0;
  const startMs = performance.now();
  const loop = async (): Promise<void> => {
    while (next < count) {
      const sentMs = performance.now();
      const status = await sendOne(agent, work, next++);
      timesMs.push(performance.now() - sentMs);
      if (status < 200 || status > 299) errors[status] = (errors[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const elapsedMs = performance.now() - startMs;
  agent.destroy();
  return answersOf(timesMs, errors, elapsedMs);
}

/** @returns the status; 0 for no response */
export function sendOne(agent: Agent, work: Work, index: number): Promise<number> {
  if (work.kind === 'page') return send(agent, work.url, 'GET', { cookie: work.cookie }, '');
  const { baseUrls, key, secret } = work.access;
  const message = messageOf(work, index);
  const { method, pathname, body } = message;
  const headers = signedHeaders({ ...message, key, secret, nowSeconds: Date.now() / 1_000 });
  const url = `${baseUrls[index % baseUrls.length]}${pathname}`;
  return send(agent, url, method, { ...headers, accept: 'application/json' }, body);
}

function messageOf(work: Exclude<Work, { kind: 'page' }>, index: number): Message {
  switch (work.kind) {
    case 'purchases':
      return purchase('/api/v1/partner/purchases', `${work.orders}-${index}`, index, work.customer);
    case 'refunds':
      return refund(`${work.orders}-${index}`);
    case 'redemptions':
      return redemption(`${work.orders}-${index}`, index);
    case 'claims':
      return { method: 'POST', pathname: `/claim/${work.tokens[index]}`, body: '' };
    case 'reads':
      return { method: 'GET', pathname: work.pathname, body: '' };
    case 'floor':
      return purchase(work.pathname, `floor-${index}`, index);
  }
}

function purchase(
  pathname: string,
  externalOrderId: string,
  index: number,
  customer = `customer-${index % customers}`,
): Message {
  const body = JSON.stringify({
    externalOrderId,
    customer: { email: `${customer}@example.com` },
    order: { subtotalCents: 4_990, currency: 'USD' },
    metadata: { channel: 'web', basket: ['coffee', 'filter'] },
  });
  return { method: 'POST', pathname, body, idempotencyKey: `purchase:${externalOrderId}` };
}

function refund(externalOrderId: string): Message {
  return {
    method: 'POST',
    pathname: '/api/v1/partner/refunds',
    body: JSON.stringify({ externalOrderId, externalRefundId: `refund-${externalOrderId}` }),
    idempotencyKey: `refund:${externalOrderId}`,
  };
}

function redemption(externalRedemptionId: string, index: number): Message {
  const email = `customer-${index % customers}@example.com`;
  return {
    method: 'POST',
    pathname: '/api/v1/partner/redemptions',
    body: JSON.stringify({ externalRedemptionId, customer: { email }, points: 1 }),
    idempotencyKey: `redemption:${externalRedemptionId}`,
  };
}

function send(
  agent: Agent,
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string,
): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { method, agent, headers, timeout: patienceMs });
    sent.on('response', (response) => {
      // A search with a single result redirects to it.
      const isFound =
        response.statusCode === 303 &&
        !/sign-in|second-factor/.test(response.headers.location ?? '');
      response.resume();
      response.on('end', () => resolve(isFound ? 200 : (response.statusCode ?? 0)));
      response.on('error', () => resolve(0));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}
