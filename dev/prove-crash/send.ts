import { signedHeaders } from '../../clients/typescript/signature.ts';
import type { LoggedResponse, SentEvent, SentOperation } from './traffic-log.ts';

const patienceMs = 10_000;

/** @returns undefined without a response */
export async function send(baseUrl: string, sent: SentEvent): Promise<LoggedResponse | undefined> {
  const { shop, kind, idempotencyKey, body } = sent;
  const pathname = `/api/v1/partner/${kind}`;
  const headers = signedHeaders({
    key: shop.key,
    secret: shop.secret,
    method: 'POST',
    pathname,
    body,
    nowSeconds: Date.now() / 1000,
    idempotencyKey,
  });
  return await ask(baseUrl + pathname, { method: 'POST', headers, body });
}

/** @returns undefined without a response */
export function sendOperation({
  url,
  headers,
  body,
}: SentOperation): Promise<LoggedResponse | undefined> {
  return ask(url, { method: 'POST', headers, body });
}

/** One attempt. @returns undefined without a response */
export async function ask(url: string, init: RequestInit): Promise<LoggedResponse | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Whether a retry would get the same response: not rate limited (429), and no error or outage (5xx). */
export function isFinal({ status }: LoggedResponse): boolean {
  return status !== 429 && status < 500;
}

/** A fault of the service. 503 is not one: it announces a short outage. */
export function isBreakdown({ status }: LoggedResponse): boolean {
  return status >= 500 && status !== 503;
}
