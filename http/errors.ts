import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError as TemporalServiceError } from '@temporalio/client';
import type Koa from 'koa';
import { mongo } from 'mongoose';
import { ServiceError, unavailable } from '../domain/errors.ts';
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
    'Something went wrong on our side. You can send the request again with the same Idempotency-Key.',
  );
}

/** The MongoDB driver throws these unchanged if a socket breaks during a write. */
const brokenSocket = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);

function isUnreachable(thrown: unknown): boolean {
  return (
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

/** Whether the target of a request can be handled. */
export const hasValidTarget = ({ url = '' }: IncomingMessage): boolean => originForm.test(url);

/** What a connection has been used for. */
interface Exchanges {
  requests: number;
  latest: Pick<IncomingMessage, 'complete'>;
  unfinished: Set<ServerResponse>;
}

/** The statuses of Node's errors before a request is complete; any other is a 400. */
const statuses = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/**
 * Closes connections with an invalid request, or with one that is not complete in time, as Node does, except:
 *
 * - When the process resumes after a pause, Node checks the timeouts before it reads. A request that arrived
 *   completely during the pause is not late.
 * - A connection that has received nothing is closed without a response: browsers open connections in advance, and
 *   would show a 408 as the response to their next request, but repeat the request if the connection just closes.
 */
export function answerBrokenRequests(server: Server): void {
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
      const status = statuses.get(error.code ?? '') ?? '400 Bad Request';
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy(error);
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
