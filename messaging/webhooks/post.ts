import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Mode } from '../../domain/mode.ts';
import {
  addressProblem,
  bareHost,
  ForbiddenAddressError,
  guardedLookup,
  isAllowedAddress,
  isLocal,
  type ResolveName,
  requireAllowed,
} from './addresses.ts';

/** How long an endpoint may take to answer, all in all. */
const usualAnswerMs = 15_000;
/** So much of an answer is read. */
const maxAnswerBytes = 16 * 1024;
/** A kept connection is closed after so long without use. */
const idleSocketMs = 10_000;

/** What came back, or why nothing did. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  answer: string;
  durationMs: number;
  retryAfterMs: number | null;
}

/** Where webhooks go. */
export interface WebhookTarget {
  url: string;
  mode: Mode;
  /** The operators' own, which stands in the configuration and may be within the network. */
  isOperators?: boolean;
}

/** Sends one webhook. @returns never rejects: whatever goes wrong is what the answer says */
export type SendWebhook = (headers: Record<string, string>, body: string) => Promise<WebhookAnswer>;

/** Judges an address once, for all that is sent to it; a name is resolved and judged at each connection. */
export type PostWebhook = (target: WebhookTarget) => SendWebhook;

/** The endpoint took too long. */
class AnswerTimeoutError extends Error {
  code = 'TIMEOUT';
}

/**
 * Sends webhooks: to public addresses over HTTPS, and in TEST to this machine where configuration allows.
 * A redirect is not followed: it is an answer that is not 2xx.
 */
export function createPostWebhook({
  allowLoopback: allowLoopbackInTest,
  proxyUrl,
  answerMs = usualAnswerMs,
  resolveName,
}: {
  allowLoopback: boolean;
  /** A forward proxy; what is on this machine is reached without it. */
  proxyUrl?: string | undefined;
  answerMs?: number;
  /** What resolves names; the system's own unless a test has another. */
  resolveName?: ResolveName;
}): PostWebhook {
  // Sockets are kept apart by what they were allowed to connect to.
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
    ...{ TEST: agentsFor(allowLoopbackInTest), LIVE: agentsFor(false) },
    OWN: { http: new http.Agent(options), https: new https.Agent(options) },
  };
  const proxied = proxyUrl === undefined ? null : proxyAgents(proxyUrl);

  function agentOf(url: URL, kept: keyof typeof agents): http.Agent {
    const isTls = url.protocol === 'https:';
    if (isTls && proxied && !isLocal(url)) return proxied[kept === 'OWN' ? 'LIVE' : kept];
    return agents[kept][isTls ? 'https' : 'http'];
  }

  function send(
    url: URL,
    agent: http.Agent,
    headers: Record<string, string>,
    body: string,
  ): Promise<Omit<WebhookAnswer, 'durationMs'>> {
    return new Promise((resolve, reject) => {
      let request: http.ClientRequest;
      const timer = setTimeout(() => {
        settle(() => reject(new AnswerTimeoutError()));
        request.destroy();
      }, answerMs);
      let isSettled = false;
      const settle = (how: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        how();
      };
      const failed = (error: unknown) => settle(() => reject(error));
      begin();

      function begin(): void {
        request = (url.protocol === 'https:' ? https : http).request(url, {
          method: 'POST',
          agent,
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'partner-events-webhooks/1',
          },
        });
        const sent = request;
        sent.on('response', answered);
        sent.on('error', (error) => {
          // A kept socket that was closed while it was taken: nothing was answered, and the id is the same.
          const wasClosed = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
          if (sent.reusedSocket && wasClosed && !isSettled) begin();
          else failed(error);
        });
        sent.end(body);
      }

      function answered(response: http.IncomingMessage): void {
        const parts: Buffer[] = [];
        let bytes = 0;
        const done = () =>
          settle(() => {
            const { statusCode = 0, headers: answered } = response;
            const text = Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8');
            resolve({
              ...{ status: statusCode, error: null, answer: text.replaceAll('\0', '') },
              retryAfterMs: retryAfterOf(answered['retry-after']),
            });
          });
        response.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes < maxAnswerBytes) return;
          done();
          request.destroy();
        });
        response.on('end', done);
        response.on('error', failed);
      }
    });
  }

  /** @throws ForbiddenAddressError, or of URL */
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
    // A proxy looks the name up for itself: ours is to refuse what leads to where it must not.
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
        if (named) await requireAllowed(named.host, named, resolveName);
        return { ...(await send(url, agent, headers, body)), durationMs: took() };
      } catch (error) {
        const none = { status: null, answer: '', retryAfterMs: null };
        return { ...none, error: reasonOf(error), durationMs: took() };
      }
    };
  };
}

/** Their sockets are kept apart by mode, as those without a proxy are. */
function proxyAgents(proxyUrl: string): Record<Mode, https.Agent> {
  const make = () =>
    new https.Agent({
      ...{ keepAlive: true, timeout: idleSocketMs },
      proxyEnv: { HTTPS_PROXY: proxyUrl },
    });
  return { TEST: make(), LIVE: make() };
}

/** In words that a partner can do something with, and that name nothing of ours. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'ADDRESS_NOT_ALLOWED';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'CONNECTION_FAILED';
}

/** @returns milliseconds; null where the header is absent or says neither seconds nor a date */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}
