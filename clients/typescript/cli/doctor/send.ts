import { readAnswer } from '../../answer.ts';
import { ConnectionError, PartnerApiError } from '../../errors.ts';
import { headerNames, sha256Hex } from '../../signature.ts';

const timeoutMs = 10_000;

/** A complete request, to be sent unchanged. */
export interface ReadyRequest {
  baseUrl: string;
  method: string;
  /** With its query, if it has one. */
  path: string;
  body: Buffer<ArrayBuffer>;
  brand: string | undefined;
  key: string;
  timestamp: string;
  signature: string;
  idempotencyKey: string | undefined;
}

/**
 * Sends a request once, unchanged.
 * @returns the response's fields
 * @throws PartnerApiError for a refusal, ConnectionError without a response
 */
export async function sendAsIs(request: ReadyRequest, nowMs: number): Promise<object> {
  const { baseUrl, method, path, body, brand, key, timestamp, signature } = request;
  const names = headerNames(brand);
  const isPost = method.toUpperCase() !== 'GET';
  const idempotencyKey = request.idempotencyKey ?? `doctor:${sha256Hex(body)}`;
  try {
    const response = await fetch(new URL(baseUrl.replace(/\/+$/, '') + path), {
      method,
      headers: {
        [names.key]: key,
        [names.timestamp]: timestamp,
        [names.signature]: signature,
        ...(isPost && { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey }),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(isPost && { body }),
    });
    return readAnswer<object>(response, await response.text(), { nowMs, idempotencyKey });
  } catch (cause) {
    if (cause instanceof PartnerApiError) throw cause;
    const message = `${method} ${path} got no response from ${baseUrl}`;
    throw new ConnectionError(message, { cause, idempotencyKey });
  }
}
