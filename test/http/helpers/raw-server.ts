import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import { close, listen, portOf, type serverLimits } from '../../../http/listen.ts';

export const request = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';

/** Reads the request, and responds `ok`. */
const readAll: Koa.Middleware = async (ctx) => {
  await text(ctx.req);
  ctx.body = 'ok';
};

/**
 * Starts a server.
 * @returns a function that connects from an address of this machine and sends these bytes
 */
export async function startRaw(
  t: ExecutionContext,
  limits: Partial<typeof serverLimits>,
  middleware = readAll,
) {
  const app = new Koa();
  app.silent = true;
  app.use(middleware);
  const server = await listen(app, '127.0.0.1', 0, limits);
  t.teardown(async () => {
    server.closeAllConnections();
    await close(server);
  });
  return (bytes: string, localAddress = '127.0.0.1') => connectTo(server, bytes, localAddress);
}

/** Connects to a server and sends these bytes. */
export async function connectTo(
  server: Server,
  bytes: string,
  localAddress = '127.0.0.1',
): Promise<Socket> {
  const to = { port: portOf(server), host: '127.0.0.1', localAddress };
  const socket = connect(to).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}
