import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test from 'ava';
import Koa from 'koa';
import { logBrokenConnections } from '../../http/errors.ts';
import { close, listen } from '../../http/listen.ts';
import { eventually } from '../helpers/eventually.ts';

test('a connection that breaks during its request is logged in one line, and so is an internal error', async (t) => {
  const lines: [string, Record<string, unknown>][] = [];
  const log = {
    info: (fields: object) => lines.push(['info', { ...fields }]),
    error: (fields: object) => lines.push(['error', { ...fields }]),
  };
  const app = new Koa();
  app.use((ctx) => {
    ctx.state.requestId = 'req_1';
    if (ctx.path === '/fault') throw new TypeError('an internal error');
    // Never responds.
    return new Promise(() => undefined);
  });
  logBrokenConnections(app, log);
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(async () => {
    server.closeAllConnections();
    await close(server);
  });
  const { port } = server.address() as AddressInfo;

  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  await once(socket, 'connect');
  socket.end('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nabc');
  const [level, fields] = await eventually(
    async () => lines.shift(),
    'the broken connection is logged',
  );
  t.is(level, 'info');
  t.deepEqual(fields, { requestId: 'req_1', code: 'HPE_INVALID_EOF_STATE' });

  await (await fetch(`http://127.0.0.1:${port}/fault`)).text();
  const [fault, { err }] = await eventually(
    async () => lines.shift(),
    'the internal error is logged',
  );
  t.is(fault, 'error');
  t.is((err as Error).message, 'an internal error');
  t.deepEqual(lines, []);
});
