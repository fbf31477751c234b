import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { close, limitsBehind, listen, serverLimits } from '../../http/listen.ts';
import { eventually } from '../helpers/eventually.ts';

/**
 * Starts a server that reads requests and responds `ok`.
 * @returns a function that connects from an address of this machine and sends these bytes
 */
async function start(t: ExecutionContext, limits: Partial<typeof serverLimits>) {
  const app = new Koa();
  app.use(async (ctx) => {
    await text(ctx.req);
    ctx.body = 'ok';
  });
  const server = await listen(app, '127.0.0.1', 0, limits);
  t.teardown(async () => {
    server.closeAllConnections();
    await close(server);
  });
  const { port } = server.address() as AddressInfo;
  return async (bytes: string, localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  };
}

const request = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';

test('one connection too many is closed; the existing ones continue', async (t) => {
  const speak = await start(t, { maxConnections: 2 });
  const [first] = [await speak(''), await speak('')];
  const third = await speak(request);
  third.resume();
  await once(third, 'close');
  t.is(third.bytesRead, 0);
  first?.write(request);
  const [answer] = await once(first as NodeJS.EventEmitter, 'data');
  t.regex(String(answer), /^HTTP\/1\.1 200/);
});

test('an address has a share of the connections, and may open another after closing one', async (t) => {
  const speak = await start(t, { maxConnectionsPerAddress: 2 });
  const [first] = [await speak(''), await speak('')];
  const third = await speak(request);
  third.resume();
  await once(third, 'close');
  t.is(third.bytesRead, 0);
  const other = await speak(request, '127.0.0.2');
  t.regex(String((await once(other, 'data'))[0]), /^HTTP\/1\.1 200/);
  first?.destroy();
  const answer = await eventually(async () => {
    const again = await speak(request);
    const result = await Promise.race([once(again, 'data'), once(again, 'close')]);
    return Buffer.isBuffer(result[0]) ? String(result[0]) : undefined;
  }, 'a connection is available again');
  t.regex(answer, /^HTTP\/1\.1 200/);
});

test('a trusted proxy’s address is limited only by the total', (t) => {
  t.is(limitsBehind(1).maxConnectionsPerAddress, serverLimits.maxConnections);
  t.deepEqual(limitsBehind(0), {});
});

test('slow or oversized headers close the connection', async (t) => {
  const hasty = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 };
  for (const [limits, bytes, status] of [
    [hasty, 'GET / HTTP/1.1\r\nHost: here\r\n', 408],
    [{}, `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const speak = await start(t, limits);
    const socket = await speak(bytes);
    const [answer] = await once(socket, 'data');
    t.regex(String(answer), new RegExp(`^HTTP/1.1 ${status}`));
    socket.resume();
    // If part of the request is unread, the connection can end with a reset, which makes `once` reject.
    await new Promise((resolve) => socket.once('close', resolve));
  }
});

test('a connection without a byte of a request is closed without a response', async (t) => {
  const speak = await start(t, { headersTimeout: 50, connectionsCheckingInterval: 20 });
  const socket = await speak('');
  socket.resume();
  await once(socket, 'close');
  t.is(socket.bytesRead, 0);
});

test('a request that arrived during a pause of the process is not late', async (t) => {
  const speak = await start(t, {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  const upload = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n';
  for (const [before, after] of [
    ['', request],
    ['GET / HTTP/1.1\r\n', 'Host: here\r\n\r\n'],
    [upload, 'ab'],
  ] as const) {
    const socket = await speak(before);
    // A file operation ends between Node's look at the time and its next one, as reads do.
    await stat('.');
    socket.write(after);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    const [answer] = await once(socket, 'data');
    t.regex(String(answer), /^HTTP\/1\.1 200/);
  }
});

test('an invalid request is a 400, also after a valid one on its connection', async (t) => {
  const speak = await start(t, {});
  const socket = await speak(request);
  await once(socket, 'data');
  socket.write('no request\r\n\r\n');
  const [answer] = await once(socket, 'data');
  t.regex(String(answer), /^HTTP\/1\.1 400/);
});

test('an idle connection is closed', async (t) => {
  // Long enough for a busy machine to read the request first.
  const speak = await start(t, { timeout: 2_000, keepAliveTimeout: 1_000 });
  const socket = await speak(request);
  socket.resume();
  await once(socket, 'close');
  t.true(socket.bytesRead > 0);
});

test('every limit of the server is set', async (t) => {
  for (const [name, value] of Object.entries(serverLimits)) t.true(value > 0, name);
});
