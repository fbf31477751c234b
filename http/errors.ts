import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError as TemporalServiceError } from '@temporalio/client';
import type Koa from 'koa';
import { mongo } from 'mongoose';
import { requestTimeout, ServiceError, unavailable } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';

/**
 * Converts anything thrown into a ServiceError: UNAVAILABLE if MongoDB or Temporal could not be reached,
 * INTERNAL for every other error that is not a ServiceError already.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isUnreachable(thrown)) return unavailable();
  return new ServiceError(
    'INTERNAL',
    'Something went wrong on our side. You can send the same request again.',
  );
}

/** The MongoDB driver throws these unchanged if a socket breaks during a write. */
const brokenSocket = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);

/** The codes of a MongoDB that shuts down or steps down, or is not yet the primary. */
const notServing = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Whether MongoDB or Temporal could not be reached, or does not serve at the moment. */
export function isUnreachable(thrown: unknown): boolean {
  return (
    (thrown instanceof mongo.MongoServerError && notServing.has(thrown.code)) ||
    (thrown instanceof Error && brokenSocket.has(String((thrown as { code?: unknown }).code))) ||
    thrown instanceof mongo.MongoNetworkError ||
    thrown instanceof mongo.MongoServerSelectionError ||
    thrown instanceof mongo.MongoOperationTimeoutError ||
    thrown instanceof mongo.MongoNotConnectedError ||
    (thrown instanceof mongo.MongoError && thrown.hasErrorLabel('RetryableWriteError')) ||
    (thrown instanceof Error &&
      /^(MongooseServerSelection|MongoWaitQueueTimeout)Error$/.test(thrown.name)) ||
    // A bulk write's error wraps its cause.
    (thrown instanceof mongo.MongoBulkWriteError && isUnreachable(thrown.errorResponse)) ||
    thrown instanceof TemporalServiceError ||
    isGrpcServiceError(thrown)
  );
}

/** A path and a query in visible ASCII. Koa's URL functions throw on some other targets. */
const originForm = /^\/[\x21\x22\x24-\x7e]*$/;
/** A whole URL, as clients of a proxy write it: the same request as its path with its host. */
const absoluteForm = /^https?:\/\/([^/?#@]+)([/?].*)?$/is;

const notAPath =
  'The target must be a path that begins with / and has every character outside visible ASCII percent-encoded, in UTF-8.';

/**
 * Puts a request's target into its usual form, a path: of a whole URL, the path and the host.
 * @returns what is wrong with the request otherwise; undefined if it can be handled
 */
export function readTarget(request: IncomingMessage): string | undefined {
  const [, host, rest = '/'] = absoluteForm.exec(request.url ?? '') ?? [];
  if (host !== undefined) {
    request.headers.host = host;
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
  }
  const { url = '', headers, httpVersion } = request;
  if (!originForm.test(url)) return notAPath;
  if (headers.host === undefined && httpVersion === '1.1') return 'Send a Host header.';
  if (!isHost(headers.host ?? '')) return 'The Host header is not the name of a host.';
  return undefined;
}

/** Whether it is empty, or a name or an address, with or without a port. */
const isHost = (host: string): boolean =>
  host === '' ||
  (/^[\x21-\x7e]+$/.test(host) && !/[/?#@\\]/.test(host) && URL.canParse(`http://${host}/`));

/** What a connection has been used for. */
interface Exchanges {
  requests: number;
  latest: Pick<IncomingMessage, 'complete'>;
  unfinished: Set<ServerResponse>;
}

/** What Node refuses before there is a request, by its code; anything else is not HTTP at all. */
const refusals = new Map<string, readonly ['VALIDATION_FAILED' | 'PAYLOAD_TOO_LARGE', string]>([
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'Send chunks without extensions.']],
  ['HPE_HEADER_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'Send less: the headers are too large.']],
  ['HPE_INVALID_URL', ['VALIDATION_FAILED', notAPath]],
  ['HPE_INVALID_METHOD', ['VALIDATION_FAILED', 'The method is unknown.']],
  [
    'HPE_INVALID_HEADER_TOKEN',
    ['VALIDATION_FAILED', 'A header has a character that headers must not contain.'],
  ],
]);
const malformed = ['VALIDATION_FAILED', 'The request is not valid HTTP/1.1.'] as const;

function refusalOf(code = ''): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  const [ours, message] = refusals.get(code) ?? malformed;
  return new ServiceError(ours, message);
}

type Refusals = Pick<Logger, 'info'> | undefined;

/** Answers what no application sees, in the error's usual form, and closes the connection. */
export function refuse(
  error: ServiceError,
  log: Refusals,
  reason?: string,
): { status: number; headers: Record<string, string>; body: string } {
  const requestId = newId('request');
  log?.info({ requestId, status: error.status, code: error.code, reason }, 'refused as HTTP');
  const body = JSON.stringify({ error: { code: error.code, message: error.message } });
  const headers = {
    ...error.headers,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  return { status: error.status, headers, body };
}

/** The same as bytes, for a connection without a request. */
function bytesOf({ status, headers, body }: ReturnType<typeof refuse>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Closes connections with an invalid request, or with one that is not complete in time, as Node does, except:
 *
 * - When the process resumes after a pause, Node checks the timeouts before it reads. A request that arrived
 *   completely during the pause is not late.
 * - A connection that has received nothing is closed without a response: browsers open connections in advance, and
 *   would show a 408 as the response to their next request, but repeat the request if the connection just closes.
 */
export function answerBrokenRequests(server: Server, log: Refusals): void {
  const bySocket = new WeakMap<Duplex, Exchanges>();
  server.prependListener('request', (request, response) => note(bySocket, request, response));
  server.on('clientError', async (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      const { requests = 0, latest } = bySocket.get(socket) ?? {};
      const isOver = latest?.complete ?? true;
      // What has arrived is read before the callbacks of setImmediate.
      await setImmediate();
      const after = bySocket.get(socket);
      // Node checks each request only once, so whatever is accepted here must be complete.
      if (after?.latest.complete && (after.requests > requests || !isOver)) return;
    }
    const isUnused = 'bytesRead' in socket && socket.bytesRead === 0;
    const unfinished = [...(bySocket.get(socket)?.unfinished ?? [])];
    const isAnswering = unfinished.some(({ headersSent }) => headersSent);
    if (socket.writable && !isUnused && !isAnswering) {
      socket.write(bytesOf(refuse(refusalOf(error.code), log, error.code)));
    }
    socket.destroy(error);
  });
  server.on('connect', (_request, socket) => {
    const error = new ServiceError('METHOD_NOT_ALLOWED', 'This is not a proxy.', {
      Allow: 'GET, HEAD, POST',
    });
    socket.on('error', () => undefined);
    socket.end(bytesOf(refuse(error, log, 'CONNECT')));
  });
}

function note(
  bySocket: WeakMap<Duplex, Exchanges>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { socket } = request;
  const all = bySocket.get(socket) ?? { requests: 0, latest: request, unfinished: new Set() };
  bySocket.set(socket, all);
  all.requests += 1;
  all.latest = request;
  all.unfinished.add(response);
  response.once('close', () => {
    all.unfinished.delete(response);
    // An idle connection keeps no request in memory.
    if (all.latest === request && request.complete) all.latest = { complete: true };
  });
}

/** Node's error codes for connections that broke, or did not carry valid HTTP, before the response. */
const brokenCode = /^(HPE_|ECONN|EPIPE|ERR_STREAM_|ERR_HTTP_REQUEST_TIMEOUT)/;

/**
 * Logs errors that Koa would otherwise print: a connection that broke during a response as information,
 * anything else as an error, because errors thrown by middleware are handled before they get here.
 */
export function logBrokenConnections(app: Koa, log: Pick<Logger, 'info' | 'error'>): void {
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Koa.Context) => {
    const requestId: unknown = ctx?.state.requestId;
    const { code } = error;
    if (code && brokenCode.test(code)) log.info({ requestId, code }, 'the connection broke');
    else log.error({ requestId, err: error }, 'a request failed outside its middleware');
  });
}
