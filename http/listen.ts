import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { callerOf, clientAddressOf } from '../platform/addresses.ts';
import { answerBrokenRequests, hasValidTarget } from './errors.ts';

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
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  /** Idle sockets, including those whose client does not read the response. */
  timeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** Less than a process has for its whole shutdown. */
const closePatienceMs = 15_000;

/** Limits behind trusted proxies, whose connections carry the requests of many clients. */
export const limitsBehind = (proxies: number): Partial<typeof serverLimits> =>
  proxies > 0 ? { maxConnectionsPerAddress: serverLimits.maxConnections } : {};

/**
 * Starts a server.
 * @param port 0 takes any free port
 * @returns the server, which is listening
 */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  limits: Partial<typeof serverLimits> = {},
): Promise<Server> {
  const { backlog, maxConnectionsPerAddress, ...all } = { ...serverLimits, ...limits };
  const handle = app.callback();
  const server = createServer(all, (request, response) => {
    if (hasValidTarget(request)) return handle(request, response);
    response.writeHead(400, { Connection: 'close' }).end();
  });
  limitConnectionsByAddress(server, maxConnectionsPerAddress);
  answerBrokenRequests(server);
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
