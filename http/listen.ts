import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

/** What one process takes from its clients, who may be slow, many or wrong, on purpose or not. */
export const serverLimits = {
  /** Past this a connection is closed as it comes, so that those there are go on being served. */
  maxConnections: 4_096,
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

/** @returns the server, listening; `port` 0 takes any free one */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  limits: Partial<typeof serverLimits> = {},
): Promise<Server> {
  const { backlog, ...all } = { ...serverLimits, ...limits };
  const server = createServer(all, app.callback());
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
