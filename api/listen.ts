import { createServer, type Server } from 'node:http';
import type Koa from 'koa';

/** Against clients that are slow, on purpose or not; and against headers nobody needs. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};

/** @returns the server, listening; `port` 0 takes any free one */
export async function listen(app: Koa, host: string, port: number): Promise<Server> {
  const server = createServer(timeouts, app.callback());
  server.maxRequestsPerSocket = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

/** Takes no more connections, and waits for the answers that are under way. */
export async function close(server: Server): Promise<void> {
  // A connection that is kept alive would keep the server open long after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
}
