import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt } from './attempt.ts';

const elsewhere = 'https://attack.example';

/** What somebody without a key attempts at the partners' API. */
export function apiAttempts(apiUrl: string): Attempt[] {
  const ask = async (method: string, path: string, headers = {}, body?: string) => {
    const response = await fetch(apiUrl + path, { method, headers, ...(body && { body }) });
    await response.arrayBuffer();
    return response.status;
  };
  const expect = (threat: string, refusals: number[], send: () => Promise<number>): Attempt => ({
    threat,
    async attempt() {
      const answer = await send();
      return { answer, isRefused: refusals.includes(answer) };
    },
  });
  const purchases = '/api/v1/partner/purchases';
  const json = { 'content-type': 'application/json' };
  const purchase = JSON.stringify({
    externalOrderId: randomUUID(),
    currency: 'USD',
    order: { subtotalCents: 100 },
  });
  const signed = {
    ...json,
    'idempotency-key': randomUUID(),
    'x-partner-key': `pk_live_${randomUUID()}`,
    'x-partner-timestamp': String(Date.now()),
    'x-partner-signature': `v1=${randomBytes(32).toString('hex')}`,
  };
  return [
    expect('report a purchase without a signature', [400, 401], () =>
      ask('POST', purchases, json, purchase),
    ),
    expect('report a purchase with a made-up signature', [400, 401], () =>
      ask('POST', purchases, signed, purchase),
    ),
    expect('read a partner’s usage without a key', [400, 401], () =>
      ask('GET', '/api/v1/partner/usage'),
    ),
    expect('reach the operators’ API on the partners’ listener', [404], () =>
      ask('GET', '/admin/v1/partners'),
    ),
    expect('reach the metrics on the partners’ listener', [404], () => ask('GET', '/metrics')),
    expect('keep others from sending lists by requests that never end', [400, 401], () =>
      besideSilent(`${apiUrl}/api/v1/partner/reconciliations`, (url) =>
        ask('POST', url.pathname, { 'content-type': 'text/csv' }, 'externalOrderId\n'),
      ),
    ),
    expect('send an oversized request', [400, 401, 413], () =>
      ask('POST', purchases, signed, `"${'x'.repeat(2_000_000)}"`),
    ),
  ];
}

/** More than the service reads at a time. */
const silentRequests = 40;

/** Does something while so many requests have announced a body that they never send. */
async function besideSilent<T>(address: string, act: (url: URL) => Promise<T>): Promise<T> {
  const url = new URL(address);
  const silent = Array.from({ length: silentRequests }, () => {
    const one = request(url, {
      method: 'POST',
      headers: { 'content-length': '1000' },
      agent: false,
    });
    one.on('error', () => undefined);
    one.flushHeaders();
    return one;
  });
  try {
    // Long enough for their headers to arrive.
    await delay(500);
    return await act(url);
  } finally {
    for (const one of silent) one.destroy();
  }
}

/** The most wrong passwords before the portal makes the visitor wait. */
const mostGuesses = 20;

/** What somebody without an account, or another site opened by a visitor, attempts at the portal. */
export function portalAttempts(portalUrl: string): Attempt[] {
  const open = (path: string, init: RequestInit = {}) =>
    fetch(portalUrl + path, { redirect: 'manual', ...init });
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  /** A visitor with the sign-in page open. */
  async function visitor() {
    const response = await open('/sign-in');
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const csrf = /name="csrf" value="([^"]*)"/.exec(await response.text())?.[1] ?? '';
    return { cookie, csrf };
  }
  const guess = () => ({ email: `${randomUUID()}@attack.example`, password: 'hunter2 hunter2' });
  const signIn = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const { cookie, csrf } = await visitor();
    return await open('/sign-in', form({ csrf, ...fields }, { cookie, ...headers }));
  };
  const attempt = (
    threat: string,
    send: () => Promise<Response>,
    isRefused: (response: Response, text: string) => boolean,
  ): Attempt => ({
    threat,
    async attempt() {
      const response = await send();
      return { answer: response.status, isRefused: isRefused(response, await response.text()) };
    },
  });
  const isSentToSignIn = ({ status, headers }: Response) =>
    status === 303 && (headers.get('location') ?? '').startsWith('/sign-in');
  return [
    attempt('open the operators’ pages', () => open('/admin'), isSentToSignIn),
    attempt('open a partner’s team', () => open('/team'), isSentToSignIn),
    attempt(
      'send a form without its token',
      () => signIn({ ...guess(), csrf: '' }),
      ({ status }) => status === 403,
    ),
    attempt(
      'send a form from another site',
      () => signIn(guess(), { origin: elsewhere }),
      ({ status }) => status === 403,
    ),
    attempt(
      'redirect a visitor to another site after signing in',
      () => open(`/sign-in?to=${encodeURIComponent(`${elsewhere}/`)}`),
      ({ status }, text) => status < 400 && !text.includes('attack.example'),
    ),
    attempt(
      'show a page in a frame of another site',
      () => open('/sign-in'),
      ({ headers }) => /frame-ancestors 'none'/.test(headers.get('content-security-policy') ?? ''),
    ),
    attempt(
      'guess a claim link',
      () => open(`/claim/${randomBytes(32).toString('base64url')}`),
      ({ status }) => status === 404,
    ),
    {
      threat: 'guess passwords',
      async attempt() {
        const fields = guess();
        for (let guesses = 1; guesses <= mostGuesses; guesses += 1) {
          const { status } = await signIn(fields);
          if (status === 429) return { answer: `429 after ${guesses - 1}`, isRefused: true };
        }
        return { answer: `not refused ${mostGuesses} times`, isRefused: false };
      },
    },
  ];
}
