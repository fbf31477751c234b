import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Mode } from '../../domain/mode.ts';
import { bareHost, ForbiddenAddressError } from './addresses.ts';
import { createDeliveryRoutes, type DeliveryRoute, type RouteOptions } from './routes.ts';

/** The timeout of a request, from its start to the end of the response, which may lack the end of its body. */
const defaultTimeoutMs = 15_000;
/** The rest of a response is not read. */
const maxResponseBytes = 16 * 1024;

/** The result of sending a webhook: either a response or an error. */
export interface WebhookResponse {
  status: number | null;
  error: string | null;
  /** The start of the response's body; empty after an error. */
  answer: string;
  durationMs: number;
  retryAfterMs: number | null;
}

export interface WebhookTarget {
  url: string;
  mode: Mode;
}

/** Sends one webhook. Never rejects: errors are part of the result. */
export type SendWebhook = (
  headers: Record<string, string>,
  body: string,
) => Promise<WebhookResponse>;

/** Checks a URL once for all webhooks to it. Its name is resolved and checked for each connection. */
export type PostWebhook = (target: WebhookTarget) => SendWebhook;

class ResponseTimeoutError extends Error {
  code = 'TIMEOUT';
}

/**
 * Sends webhooks to public addresses over HTTPS, and in TEST to this machine if the configuration allows
 * it. Redirects are not followed: they are responses that are not 2xx.
 */
export function createPostWebhook({
  timeoutMs = defaultTimeoutMs,
  ...options
}: RouteOptions & { timeoutMs?: number }): PostWebhook {
  const routeOf = createDeliveryRoutes(options);

  function send(
    url: URL,
    agent: http.Agent,
    headers: Record<string, string>,
    body: string,
    address?: string,
  ): Promise<Omit<WebhookResponse, 'durationMs'>> {
    return new Promise((resolve, reject) => {
      let request: http.ClientRequest;
      /** Set once a status has arrived: it counts, whatever becomes of the body. */
      let respond: (() => void) | undefined;
      const timer = setTimeout(() => {
        if (respond) respond();
        else settle(() => reject(new ResponseTimeoutError()));
        request.destroy();
      }, timeoutMs);
      let isSettled = false;
      const settle = (action: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        action();
      };
      const failed = (error: unknown) => settle(() => reject(error));
      start();

      function start(): void {
        // A proxy connects to the checked address; TLS and the receiver still see the name.
        const via = address && { hostname: address, servername: bareHost(url) };
        request = (url.protocol === 'https:' ? https : http).request({
          ...urlToHttpOptions(url),
          ...via,
          method: 'POST',
          agent,
          headers: {
            ...headers,
            host: url.host,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'partner-events-webhooks/1',
          },
        });
        const sent = request;
        sent.on('response', onResponse);
        sent.on('error', (error) => {
          // The server closed a keep-alive connection as it was reused. Sending again with the same id is safe.
          const wasClosed = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
          if (respond) respond();
          else if (sent.reusedSocket && wasClosed && !isSettled) start();
          else failed(error);
        });
        sent.end(body);
      }

      function onResponse(response: http.IncomingMessage): void {
        const parts: Buffer[] = [];
        let bytes = 0;
        const done = () =>
          settle(() => {
            const { statusCode = 0, headers: received } = response;
            const text = Buffer.concat(parts).subarray(0, maxResponseBytes).toString('utf8');
            resolve({
              status: statusCode,
              error: null,
              answer: text.replaceAll('\0', ''),
              retryAfterMs: retryAfterOf(received['retry-after']),
            });
          });
        respond = done;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes < maxResponseBytes) return;
          done();
          request.destroy();
        });
        for (const event of ['end', 'error', 'close']) response.on(event, done);
      }
    });
  }

  return (target) => {
    let route: DeliveryRoute | Error;
    try {
      route = routeOf(target);
    } catch (error) {
      route = error as Error;
    }
    return async (headers, body) => {
      const startMs = performance.now();
      const took = () => Math.round(performance.now() - startMs);
      try {
        if (route instanceof Error) throw route;
        const { url, agent } = route;
        const response = await send(url, agent, headers, body, await route.address());
        return { ...response, durationMs: took() };
      } catch (error) {
        const none = { status: null, answer: '', retryAfterMs: null };
        return { ...none, error: reasonOf(error), durationMs: took() };
      }
    };
  };
}

/** An error code for the partner, which reveals nothing about the service's network. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'ADDRESS_NOT_ALLOWED';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'CONNECTION_FAILED';
}

/** @returns milliseconds; null if the header is absent or contains neither seconds nor a date */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}
