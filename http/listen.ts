import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { callerOf, clientAddressOf } from '../platform/addresses.ts';

/** What one process takes from its clients, who may be slow, many or wrong, on purpose or not. */
export const serverLimits = {
  /** Past this a connection is closed as it comes, so that those there are go on being served. */
  maxConnections: 4_096,
  /** The same of one address, so that one host does not have them all. */
  maxConnectionsPerAddress: 1_024,
  /** Connections that wait to be taken. */
  backlog: 511,
  maxRequestsPerSocket: 10_000,
  maxHeaderSize: 16 * 1024,
  maxHeadersCount: 100,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  /** A socket on which nothing moves, answers that nobody reads among them. */
  timeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** What an address may hold where proxies of ours stand before: theirs are everybody's. */
export const limitsBehind = (proxies: number): Partial<typeof serverLimits> =>
  proxies > 0 ? { maxConnectionsPerAddress: serverLimits.maxConnections } : {};

/** @returns the server, listening; `port` 0 takes any free one */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  limits: Partial<typeof serverLimits> = {},
): Promise<Server> {
  const { backlog, maxConnectionsPerAddress, ...all } = { ...serverLimits, ...limits };
  const server = createServer(all, app.callback());
  boundByAddress(server, maxConnectionsPerAddress);
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

/** Closes what one address opens past its share. IPv6 counts by /64, as everywhere. */
function boundByAddress(server: Server, most: number): void {
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
    if (count > most) socket.destroy();
  });
}

/** Where it listens, which is told by itself where any free port was asked for. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Takes no more connections, and waits for the answers that are under way. */
export async function close(server: Server): Promise<void> {
  // A connection that is kept alive would keep the server open long after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
}
