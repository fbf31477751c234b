import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { Mode } from '../../domain/mode.ts';
import {
  addressProblem,
  allowedAddressOf,
  bareHost,
  ForbiddenAddressError,
  guardedLookup,
  isAllowedAddress,
  isLocal,
  type ResolveName,
} from './addresses.ts';

/** The timeout of a request, from its start to the end of the response, which may lack the end of its body. */
const defaultTimeoutMs = 15_000;
/** The rest of a response is not read. */
const maxResponseBytes = 16 * 1024;
/** Idle keep-alive connections are closed after this time. */
const idleSocketMs = 10_000;

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
  /** The operators' endpoint, which comes from the configuration and may be in a private network. */
  isOperators?: boolean;
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
  allowLoopback: allowLoopbackInTest,
  proxyUrl,
  timeoutMs = defaultTimeoutMs,
  resolveName,
}: {
  allowLoopback: boolean;
  /** A forward proxy, which is not used for this machine. */
  proxyUrl?: string | undefined;
  timeoutMs?: number;
  /** Replaces the system's resolver in tests. */
  resolveName?: ResolveName;
}): PostWebhook {
  // Separate agents, so that a connection that one policy allowed is not reused under another.
  const agentsFor = (allowLoopback: boolean) => {
    const options = {
      keepAlive: true,
      timeout: idleSocketMs,
      lookup: guardedLookup({ allowLoopback }, resolveName),
    };
    return { http: new http.Agent(options), https: new https.Agent(options) };
  };
  const options = { keepAlive: true, timeout: idleSocketMs };
  const agents = {
    TEST: agentsFor(allowLoopbackInTest),
    LIVE: agentsFor(false),
    OWN: { http: new http.Agent(options), https: new https.Agent(options) },
  };
  const proxied = proxyUrl === undefined ? null : proxyAgents(proxyUrl);

  function agentOf(url: URL, policy: keyof typeof agents): http.Agent {
    const isTls = url.protocol === 'https:';
    if (isTls && proxied && !isLocal(url)) return proxied[policy === 'OWN' ? 'LIVE' : policy];
    return agents[policy][isTls ? 'https' : 'http'];
  }

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

  /** @throws ForbiddenAddressError, or TypeError for an invalid URL */
  function routeOf({ url: text, mode, isOperators = false }: WebhookTarget) {
    const url = new URL(text);
    if (isOperators) return { url, agent: agentOf(url, 'OWN') };
    const problem = addressProblem(text, mode, allowLoopbackInTest);
    if (problem !== undefined) throw new ForbiddenAddressError(problem);
    const host = bareHost(url);
    const allowLoopback = mode === 'TEST' && allowLoopbackInTest;
    if (isIP(host) !== 0 && !isAllowedAddress(host, { allowLoopback })) {
      throw new ForbiddenAddressError('not a public address');
    }
    // A proxy would resolve the name itself, so it is resolved and checked here before each request.
    const named = proxied && isIP(host) === 0 ? { host, allowLoopback } : undefined;
    return { url, agent: agentOf(url, mode), named };
  }

  return (target) => {
    let route: ReturnType<typeof routeOf> | Error;
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
        const { url, agent, named } = route;
        const address = named && (await allowedAddressOf(named.host, named, resolveName));
        const response = await send(url, agent, headers, body, address);
        return { ...response, durationMs: took() };
      } catch (error) {
        const none = { status: null, answer: '', retryAfterMs: null };
        return { ...none, error: reasonOf(error), durationMs: took() };
      }
    };
  };
}

/** Agents for the proxy, separate by mode like those without one. */
function proxyAgents(proxyUrl: string): Record<Mode, https.Agent> {
  const make = () =>
    new https.Agent({
      keepAlive: true,
      timeout: idleSocketMs,
      proxyEnv: { HTTPS_PROXY: proxyUrl },
    });
  return { TEST: make(), LIVE: make() };
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
