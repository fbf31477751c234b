import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type Koa from 'koa';
import { ServiceError } from '../domain/errors.ts';
import { callerOf, clientAddressOf } from '../platform/addresses.ts';
import type { Logger } from '../platform/logger.ts';
import { answerBrokenRequests, readTarget, refuse } from './errors.ts';

/** Limits that protect a process from slow, broken or hostile clients. Times are in milliseconds. */
export const serverLimits = {
  /** New connections beyond this are closed at once, so that the existing ones are still served. */
  maxConnections: 4_096,
  /** The same per client address, so that one host cannot take all connections. */
  maxConnectionsPerAddress: 1_024,
  /** Connections waiting to be accepted. */
  backlog: 511,
  maxRequestsPerSocket: 10_000,
  maxHeaderSize: 16 * 1024,
  maxHeadersCount: 100,
  headersTimeout: 10_000,
  /** More than the longest body may take (`arrivalMs`), which is what usually decides. */
  requestTimeout: 240_000,
  /** Longer than common load balancers keep idle connections, so that none sends on one that is being closed. */
  keepAliveTimeout: 75_000,
  /** Idle sockets, including those whose client does not read the response. */
  timeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** Long enough that a busy connection is used once more. */
const drainMs = 1_000;

/** Less than a process has for its whole shutdown. */
const closePatienceMs = 15_000;

/**
 * The limits of a listener. Connections of trusted proxies carry the requests of many clients.
 * @param proxies how many are in front of it
 */
export const listenerLimits = (
  proxies: number,
  keepAliveTimeout: number,
): Partial<typeof serverLimits> => ({
  keepAliveTimeout,
  ...(proxies > 0 && { maxConnectionsPerAddress: serverLimits.maxConnections }),
});

/**
 * Starts a server.
 * @param port 0 takes any free port
 * @param log gets a line for each request that is refused before the application sees it
 * @returns the server, which is listening
 */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  limits: Partial<typeof serverLimits> = {},
  log?: Pick<Logger, 'info'>,
): Promise<Server> {
  const { backlog, maxConnectionsPerAddress, ...all } = { ...serverLimits, ...limits };
  const handle = app.callback();
  const answerRefusal = (response: ServerResponse, error: ServiceError, reason: string): void => {
    const { status, headers, body } = refuse(error, log, reason);
    response.writeHead(status, headers).end(body);
  };
  // A request without a Host header gets an answer like any other refused one, not Node's own empty one.
  const server = createServer({ ...all, requireHostHeader: false }, (request, response) => {
    const problem = readTarget(request);
    response.once('close', () => endWithConnection(request));
    if (problem === undefined) return handle(request, response);
    answerRefusal(response, new ServiceError('VALIDATION_FAILED', problem), 'target');
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const error = new ServiceError('VALIDATION_FAILED', 'Expect can only be 100-continue.');
    answerRefusal(response, error, 'Expect');
  });
  limitConnectionsByAddress(server, maxConnectionsPerAddress);
  answerBrokenRequests(server, log);
  server.maxConnections = all.maxConnections;
  server.maxRequestsPerSocket = all.maxRequestsPerSocket;
  server.maxHeadersCount = all.maxHeadersCount;
  server.timeout = all.timeout;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, resolve);
  });
  return server;
}

/**
 * Node does not tell a request that was answered before it had arrived that its connection is gone: whoever still
 * reads its body would wait forever, and keep what it holds.
 */
function endWithConnection(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  if (request.socket.destroyed) request.destroy();
  else request.socket.once('close', () => request.destroy());
}

/** Closes connections of an address beyond its maximum. IPv6 addresses are counted by /64. */
function limitConnectionsByAddress(server: Server, maxConnections: number): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket) => {
    const from = callerOf(clientAddressOf(socket.remoteAddress ?? '', undefined, 0));
    const count = (open.get(from) ?? 0) + 1;
    open.set(from, count);
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1;
      if (left > 0) open.set(from, left);
      else open.delete(from);
    });
    if (count > maxConnections) socket.destroy();
  });
}

/** The port that a server listens on, also if it was started with port 0. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/**
 * Before a server closes that a proxy sends to: what still comes is answered, and each response says that it is its
 * connection's last. Otherwise, requests would be lost that are sent just when their connection is closed.
 */
export async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
  await delay(drainMs);
}

/** Stops accepting connections, and waits for the responses in progress, at most for a time in milliseconds. */
export async function close(server: Server, patienceMs = closePatienceMs): Promise<void> {
  // A keep-alive connection would otherwise keep the server open long after its response.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  // And Node no longer checks the time of a connection that has not sent a whole request.
  const last = setTimeout(() => server.closeAllConnections(), patienceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
  clearTimeout(last);
}
