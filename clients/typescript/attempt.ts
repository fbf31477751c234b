import { PartnerNetworkError } from './errors.ts';
import { signRequest } from './sign-request.ts';

/** How to reach the service, and as whom. */
export interface Connection {
  key: string;
  secret: string;
  brand: string | undefined;
  fetch: typeof fetch;
  /** For one attempt, its answer's body included. */
  timeoutMs: number;
}

/** One call, the same for all of its attempts. */
export interface Call {
  method: 'GET' | 'POST';
  url: URL;
  body: Uint8Array<ArrayBuffer>;
  idempotencyKey: string | undefined;
}

/**
 * Sends a call once, with a signature of its own.
 * @param nowMs the time that is signed
 * @returns the answer, whatever its status, with its whole body
 * @throws PartnerNetworkError when no complete answer came in time
 */
export async function attempt(connection: Connection, call: Call, nowMs: number) {
  const { key, secret, brand, timeoutMs } = connection;
  const { method, url, body, idempotencyKey } = call;
  const { pathname } = url;
  const nowSeconds = nowMs / 1000;
  const whoAndWhen = { key, secret, brand, nowSeconds };
  const headers = await signRequest({ ...whoAndWhen, method, pathname, body, idempotencyKey });
  const sent = { method, headers, ...(body.length > 0 && { body }) };
  return await exchange(url, sent, { fetch: connection.fetch, timeoutMs, idempotencyKey });
}

interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request and takes its answer whole.
 * @throws PartnerNetworkError when no complete answer came in time
 */
export async function exchange(
  url: URL,
  init: Sent,
  terms: Pick<Connection, 'fetch' | 'timeoutMs'> & {
    idempotencyKey?: string | undefined;
    /** Gives it up early. */
    ended?: AbortSignal | undefined;
  },
) {
  const { fetch, timeoutMs, idempotencyKey, ended } = terms;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = ended ? AbortSignal.any([timeout, ended]) : timeout;
  try {
    // A redirect would carry the signature, or the token, to wherever it points.
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    return { response, text: await response.text() };
  } catch (cause) {
    const message = `${init.method} ${url.href} got no answer: ${describe(cause, timeoutMs)}`;
    throw new PartnerNetworkError(message, { cause, idempotencyKey });
  }
}

/** fetch says only "fetch failed"; what happened stands in its cause, for a refused port as a code alone. */
function describe(failure: unknown, timeoutMs: number): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.name === 'TimeoutError') return `none was complete within ${timeoutMs} ms`;
  const cause: (Error & { code?: string }) | undefined =
    failure.cause instanceof Error ? failure.cause : undefined;
  return cause?.message || cause?.code || failure.message;
}
