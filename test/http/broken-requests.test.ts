import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { request, startRaw } from './helpers/raw-server.ts';

/** Long enough for a busy machine to write a request within it. */
const timeoutMs = 2_000;
const slow = {
  headersTimeout: timeoutMs,
  requestTimeout: timeoutMs,
  connectionsCheckingInterval: 20,
};

/** The status of the next response on a connection. */
async function statusOn(socket: Socket): Promise<string | undefined> {
  const [answer] = await once(socket, 'data');
  return /^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1];
}

test('slow or oversized headers get a response and close the connection', async (t) => {
  for (const [limits, bytes, status] of [
    [slow, 'GET / HTTP/1.1\r\nHost: here\r\n', '408'],
    [{}, `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
  ] as const) {
    const speak = await startRaw(t, limits);
    const socket = await speak(bytes);
    t.is(await statusOn(socket), status);
    socket.resume();
    // If part of the request is unread, the connection can end with a reset, which makes `once` reject.
    await new Promise((resolve) => socket.once('close', resolve));
  }
});

test('a connection without a byte of a request is closed without a response', async (t) => {
  const speak = await startRaw(t, { headersTimeout: 50, connectionsCheckingInterval: 20 });
  const socket = await speak('');
  socket.resume();
  await once(socket, 'close');
  t.is(socket.bytesRead, 0);
});

test('a request that arrived completely during a pause of the process is not late', async (t) => {
  const speak = await startRaw(t, slow);
  const upload = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n';
  const used = await speak(request);
  await statusOn(used);
  used.write('GET / HTTP/1.1\r\n');
  const cases = [
    [await speak(''), request, '200'],
    [await speak('GET / HTTP/1.1\r\n'), 'Host: here\r\n\r\n', '200'],
    [await speak(`${upload}\r\n`), 'ab', '200'],
    [used, 'Host: here\r\n\r\n', '200'],
    [await speak(upload), '\r\na', '408'],
  ] as const;
  // A file operation ends between Node's look at the time and its next one, as reads do.
  await stat('.');
  for (const [socket, bytes] of cases) socket.write(bytes);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs * 1.2);
  const statuses = await Promise.all(cases.map(([socket]) => statusOn(socket)));
  t.deepEqual(
    statuses,
    cases.map(([, , status]) => status),
  );
});

for (const [what, late] of [
  ['its header', 'GET / HTTP/1.1\r\nX: '],
  ['its body', 'POST / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n'],
] as const) {
  test(`the second request of a connection is late if ${what} arrives byte by byte`, async (t) => {
    const speak = await startRaw(t, slow);
    const socket = await speak(request);
    t.is(await statusOn(socket), '200');
    socket.write(late);
    const dripping = setInterval(() => socket.write('a'), 20);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dripping);
  });
}

test('an invalid request is a 400, also after a valid one on its connection', async (t) => {
  const speak = await startRaw(t, {});
  const socket = await speak(request);
  t.is(await statusOn(socket), '200');
  socket.write('no request\r\n\r\n');
  t.is(await statusOn(socket), '400');
});

test('an invalid request does not end up within the response to an earlier one', async (t) => {
  const speak = await startRaw(t, {}, async (ctx) => {
    if (ctx.path !== '/first') await delay(10_000, undefined, { ref: false });
    const body = new PassThrough();
    body.write('begun');
    ctx.body = body;
  });
  const socket = await speak('GET /first HTTP/1.1\r\nHost: here\r\n\r\n');
  const [begun] = await once(socket, 'data');
  t.regex(String(begun), /^HTTP\/1\.1 200/);
  socket.write('GET /second HTTP/1.1\r\nHost: here\r\n\r\nno request\r\n\r\n');
  t.notRegex(await text(socket), /HTTP/);
});

test('a target that is not a path is a 400', async (t) => {
  const speak = await startRaw(t, {});
  for (const [target, status] of [
    ['http://[', '400'],
    ['http://', '400'],
    ['//a@[b#', '400'],
    ['/a#b', '400'],
    ['*', '400'],
    ['/a?b=%2f&c=[d]', '200'],
  ]) {
    const socket = await speak(`GET ${target} HTTP/1.1\r\nHost: here\r\n\r\n`);
    t.is(await statusOn(socket), status, target);
    socket.destroy();
  }
});
