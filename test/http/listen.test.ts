import { once } from 'node:events';
import test from 'ava';
import Koa from 'koa';
import { close, limitsBehind, listen, serverLimits } from '../../http/listen.ts';
import { eventually } from '../helpers/eventually.ts';
import { connectTo, request, startRaw } from './helpers/raw-server.ts';

test('one connection too many is closed; the existing ones continue', async (t) => {
  const speak = await startRaw(t, { maxConnections: 2 });
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
  const speak = await startRaw(t, { maxConnectionsPerAddress: 2 });
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

test('an idle connection is closed', async (t) => {
  // Long enough for a busy machine to read the request first.
  const speak = await startRaw(t, { timeout: 2_000, keepAliveTimeout: 1_000 });
  const socket = await speak(request);
  socket.resume();
  await once(socket, 'close');
  t.true(socket.bytesRead > 0);
});

test('every limit of the server is set', async (t) => {
  for (const [name, value] of Object.entries(serverLimits)) t.true(value > 0, name);
});

test('closing a server does not wait for a connection that never sends a whole request', async (t) => {
  const server = await listen(new Koa(), '127.0.0.1', 0);
  const socket = await connectTo(server, 'GET / HTTP/1.1\r\n');
  socket.resume();
  await Promise.all([once(socket, 'close'), close(server, 50)]);
  t.false(server.listening);
});
