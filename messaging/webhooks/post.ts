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
  requireAllowed,
} from './addresses.ts';

/** How long an endpoint may take to answer, all in all. */
const answerMs = 15_000;
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

export type PostWebhook = (
  target: {
    url: string;
    mode: Mode;
    /** The operators' own, which stands in the configuration and may be within the network. */
    isOperators?: boolean;
  },
  headers: Record<string, string>,
  body: string,
) => Promise<WebhookAnswer>;

/**
 * Sends webhooks: to public addresses over HTTPS, and in TEST to this machine where configuration allows.
 * A redirect is not followed: it is an answer that is not 2xx.
 * @returns never rejects: whatever goes wrong is what the answer says
 */
export function createPostWebhook({
  allowLoopback: allowLoopbackInTest,
  proxyUrl,
}: {
  allowLoopback: boolean;
  /** A forward proxy; what is on this machine is reached without it. */
  proxyUrl?: string | undefined;
}): PostWebhook {
  // Sockets are kept apart by what they were allowed to connect to.
  const agentsFor = (allowLoopback: boolean) => {
    const options = {
      keepAlive: true,
      timeout: idleSocketMs,
      lookup: guardedLookup({ allowLoopback }),
    };
    return { http: new http.Agent(options), https: new https.Agent(options) };
  };
  const options = { keepAlive: true, timeout: idleSocketMs };
  const agents = {
    ...{ TEST: agentsFor(allowLoopbackInTest), LIVE: agentsFor(false) },
    OWN: { http: new http.Agent(options), https: new https.Agent(options) },
  };
  const proxied = proxyUrl === undefined ? null : proxyAgents(proxyUrl);

  function send(
    url: URL,
    kept: keyof typeof agents,
    headers: Record<string, string>,
    body: string,
  ): Promise<Omit<WebhookAnswer, 'durationMs'>> {
    return new Promise((resolve, reject) => {
      const isTls = url.protocol === 'https:';
      const request = (isTls ? https : http).request(url, {
        method: 'POST',
        agent:
          isTls && proxied && !isLocal(url)
            ? proxied[kept === 'OWN' ? 'LIVE' : kept]
            : agents[kept][isTls ? 'https' : 'http'],
        signal: AbortSignal.timeout(answerMs),
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'partner-events-webhooks/1',
        },
      });
      request.on('response', (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        const done = () => {
          const { statusCode = 0, headers: answered } = response;
          const text = Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8');
          resolve({
            ...{ status: statusCode, error: null, answer: text.replaceAll('\0', '') },
            retryAfterMs: retryAfterOf(answered['retry-after']),
          });
        };
        response.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes < maxAnswerBytes) return;
          done();
          request.destroy();
        });
        response.on('end', done);
        response.on('error', reject);
      });
      request.on('error', (error) => {
        // A kept socket that was closed while it was taken: nothing was answered, and the id is the same.
        const wasClosed = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (request.reusedSocket && wasClosed) send(url, kept, headers, body).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }

  return async ({ url: text, mode, isOperators = false }, headers, body) => {
    const startMs = performance.now();
    const took = () => Math.round(performance.now() - startMs);
    try {
      if (isOperators) {
        return { ...(await send(new URL(text), 'OWN', headers, body)), durationMs: took() };
      }
      const problem = addressProblem(text, mode, allowLoopbackInTest);
      if (problem !== undefined) throw new ForbiddenAddressError(problem);
      const url = new URL(text);
      const host = bareHost(url);
      const allowLoopback = mode === 'TEST' && allowLoopbackInTest;
      if (isIP(host) !== 0 && !isAllowedAddress(host, { allowLoopback })) {
        throw new ForbiddenAddressError('not a public address');
      }
      // A proxy looks the name up for itself: ours is to refuse what leads to where it must not.
      if (proxied && isIP(host) === 0) await requireAllowed(host, { allowLoopback });
      return { ...(await send(url, mode, headers, body)), durationMs: took() };
    } catch (error) {
      const none = { status: null, answer: '', retryAfterMs: null };
      return { ...none, error: reasonOf(error), durationMs: took() };
    }
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
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'TIMEOUT';
  return typeof code === 'string' ? code : 'CONNECTION_FAILED';
}

/** @returns milliseconds; null where the header is absent or says neither seconds nor a date */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}
