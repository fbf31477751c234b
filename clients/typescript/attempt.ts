import { ConnectionError } from './errors.ts';
import { signRequest } from './sign-request.ts';

/** The service and the credential to call it with. */
export interface Connection {
  key: string;
  secret: string;
  brand: string | undefined;
  fetch: typeof fetch;
  /** For one attempt, including the response's body, and besides the time that sending a long body takes. */
  timeoutMs: number;
}

/** A call, which stays the same for all its attempts. */
export interface Call {
  method: 'GET' | 'POST';
  url: URL;
  body: Uint8Array<ArrayBuffer>;
  /** JSON by default. */
  contentType?: string | undefined;
  idempotencyKey: string | undefined;
}

/**
 * Sends a call once, with a new signature.
 * @param nowMs the time to sign
 * @param ended cancels it
 * @returns the response with its whole body, whatever its status
 * @throws ConnectionError if no complete response arrived in time
 */
export async function attempt(
  connection: Connection,
  call: Call,
  nowMs: number,
  ended?: AbortSignal | undefined,
) {
  const { key, secret, brand, timeoutMs } = connection;
  const { method, url, body, contentType, idempotencyKey } = call;
  const { pathname } = url;
  const nowSeconds = nowMs / 1000;
  const whoAndWhen = { key, secret, brand, nowSeconds };
  const request = { method, pathname, body, contentType, idempotencyKey };
  const headers = await signRequest({ ...whoAndWhen, ...request });
  const sent = { method, headers, ...(body.length > 0 && { body }) };
  const terms = {
    fetch: connection.fetch,
    timeoutMs: timeoutMs + sendingMs(body),
    idempotencyKey,
    ended,
  };
  return await exchange(url, sent, terms);
}

/** The time that the service gives a body to arrive: a second for each 32 kB. */
const sendingMs = ({ length }: Uint8Array): number => Math.floor(length / 32_000) * 1000;

interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request and reads the whole response.
 * @throws ConnectionError if no complete response arrived in time
 */
export async function exchange(
  url: URL,
  init: Sent,
  terms: Pick<Connection, 'fetch' | 'timeoutMs'> & {
    idempotencyKey?: string | undefined;
    /** Cancels the request. */
    ended?: AbortSignal | undefined;
  },
) {
  const { fetch, timeoutMs, idempotencyKey, ended } = terms;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = ended ? AbortSignal.any([timeout, ended]) : timeout;
  try {
    // Following a redirect would send the signature, or the token, to another server.
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    return { response, text: await response.text() };
  } catch (cause) {
    const message = `${init.method} ${url.href} got no response: ${describe(cause, timeoutMs)}`;
    throw new ConnectionError(message, { cause, idempotencyKey });
  }
}

/** fetch only says "fetch failed"; its cause has the reason, for a refused port only as a code. */
function describe(failure: unknown, timeoutMs: number): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.name === 'TimeoutError') return `none was complete within ${timeoutMs} ms`;
  const cause: (Error & { code?: string }) | undefined =
    failure.cause instanceof Error ? failure.cause : undefined;
  return cause?.message || cause?.code || failure.message;
}
