import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { canonicalString, verifySignature } from '../../../clients/typescript/signature.ts';

export const key = 'pk_test_1';
export const secret = 'a-secret-that-only-the-two-sides-know';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  isSignatureValid: boolean;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** Responds with JSON. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Refuses as the contract's error table does. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Step {
  const withRequestId = { 'X-Request-Id': 'req_9', ...headers };
  return answer(status, { error: { code, message: `Say: ${code}.` } }, withRequestId);
}

/** Closes the connection without a response. */
export const hangUp: Step = (response) => response.destroy();

/** Starts a response and never ends it. */
export const stall: Step = (response) => response.writeHead(200).write('{"success":');

export const purchaseAnswer = {
  success: true,
  mode: 'TEST',
  eventId: 'evt_1',
  externalOrderId: 'A1',
  reward: {
    id: 'PNR_1',
    points: 499,
    status: 'PENDING',
    customerStatus: 'AWAITING_CUSTOMER_CLAIM',
    claimExpiresAt: '2023-12-14T22:13:20.000Z',
    claimableFrom: null,
  },
};

export const refundAnswer = {
  success: true,
  mode: 'TEST',
  eventId: 'evt_2',
  externalOrderId: 'A1',
  refund: { externalRefundId: 'refund:A1', status: 'CANCELLED', amountCents: 4_990 },
  reward: { id: 'PNR_1', points: 499, status: 'CANCELLED' },
};

export const reducedAnswer = {
  ...refundAnswer,
  refund: { externalRefundId: 'R2', status: 'REDUCED', amountCents: 1_200 },
  reward: { id: 'PNR_1', points: 379, status: 'PENDING' },
};

export const quoteAnswer = {
  success: true,
  mode: 'TEST',
  points: 499,
  explanation: '10 points for every $1.00 of $49.90.',
  ruleId: 'rul_1',
  claimWindow: 'P30D',
};

export const balanceAnswer = {
  success: true,
  mode: 'TEST',
  currency: 'USD',
  points: 1_000,
  amountCents: 1_000,
  heldPoints: 0,
  pendingPoints: 0,
  endingPoints: 0,
  endsAt: null,
};

export const redemptionAnswer = {
  success: true,
  mode: 'TEST',
  eventId: 'evt_3',
  redemption: {
    id: 'red_1',
    externalRedemptionId: 'R1',
    status: 'HELD',
    points: 400,
    amountCents: 400,
    expiresAt: '2026-01-31T09:45:00.000Z',
  },
  balance: { points: 600, amountCents: 600 },
};

export const rewardAnswer = {
  success: true,
  mode: 'TEST',
  reward: {
    id: 'PNR_1',
    externalOrderId: 'A1',
    points: 499,
    status: 'ADMIN_REVIEW',
    customerStatus: 'CLAIMED',
    claimExpiresAt: '2023-12-14T22:13:20.000Z',
    claimableFrom: null,
    createdAt: '2023-11-14T22:13:20.000Z',
    updatedAt: '2023-11-15T22:13:20.000Z',
    refunds: [
      {
        externalRefundId: 'r1',
        status: 'ADMIN_REVIEW',
        amountCents: 4_990,
        receivedAt: '2023-11-15T22:13:20.000Z',
      },
    ],
    review: { status: 'OPEN', decidedAt: null },
  },
};

/**
 * A real HTTP server on a free port that takes one step per request, the last one for all further
 * ones, and is closed after the test.
 */
export async function startServer(t: ExecutionContext, ...steps: Step[]) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    const body = Buffer.concat(chunks);
    const timestamp = String(headers['x-partner-timestamp']);
    const signature = String(headers['x-partner-signature']);
    const [pathname = ''] = url.split('?');
    const canonical = canonicalString({ method, pathname, timestamp, body });
    const isSignatureValid = verifySignature({ secrets: [secret], signature, canonical }) === 0;
    const request = { method, url, headers, body, isSignatureValid };
    const step = steps[Math.min(seen.length, steps.length - 1)];
    seen.push(request);
    step?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, port, baseUrl: `http://127.0.0.1:${port}` };
}
