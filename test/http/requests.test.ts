import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { mongo } from 'mongoose';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext, ResponseClock } from '../../http/context.ts';
import { logBrokenConnections, toServiceError } from '../../http/errors.ts';
import { createWindows } from '../../http/limits.ts';
import { close, drain, listen, listenerLimits, portOf, serverLimits } from '../../http/listen.ts';
import { arrivalMs, readBody } from '../../http/read-body.ts';
import { responseTimeout } from '../../http/requests.ts';
import { clientAddressOf } from '../../platform/addresses.ts';
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
  const keepAliveTimeout = 1_000;
  const maxConnectionsPerAddress = serverLimits.maxConnections;
  t.deepEqual(listenerLimits(1, keepAliveTimeout), { keepAliveTimeout, maxConnectionsPerAddress });
  t.deepEqual(listenerLimits(0, keepAliveTimeout), { keepAliveTimeout });
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

test('a server on :: answers where there is IPv6 alone, and beside IPv4', async (t) => {
  const app = new Koa();
  app.use((ctx) => {
    ctx.body = clientAddressOf(ctx.ip, undefined, 0);
  });
  const server = await listen(app, '::', 0);
  t.teardown(() => close(server, 50));
  for (const [host, address] of [
    ['[::1]', '::1'],
    ['127.0.0.1', '127.0.0.1'],
  ] as const) {
    const response = await fetch(`http://${host}:${portOf(server)}`);
    t.is(await response.text(), address);
  }
});

test('closing a server does not wait for a connection that never sends a whole request', async (t) => {
  const server = await listen(new Koa(), '127.0.0.1', 0);
  const socket = await connectTo(server, 'GET / HTTP/1.1\r\n');
  // Closing may reset it.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
  socket.resume();
  await Promise.all([closed, close(server, 50)]);
  t.false(server.listening);
});

test('a server that is about to close answers on its connections once more', async (t) => {
  const server = await listen(new Koa(), '127.0.0.1', 0);
  const socket = await connectTo(server, request);
  t.regex(String((await once(socket, 'data'))[0]), /^connection: keep-alive/im);
  const drained = drain(server);
  socket.write(request);
  t.regex(String((await once(socket, 'data'))[0]), /^connection: close/im);
  await Promise.all([once(socket, 'close'), drained]);
  await close(server);
});

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
    [{}, `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '413'],
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

/** Everything that one connection answers. */
async function answerTo(t: ExecutionContext, bytes: string): Promise<string> {
  const speak = await startRaw(t, {}, (ctx) => {
    ctx.body = `${ctx.method} ${ctx.host} ${ctx.url}`;
  });
  const socket = await speak(bytes);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(parts).toString();
}

const close1 = 'Connection: close\r\n\r\n';
for (const [what, bytes, status, code] of [
  [
    'a target that is no URL',
    `GET http://[ HTTP/1.1\r\nHost: here\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a target without a host',
    `GET http:// HTTP/1.1\r\nHost: here\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a host with a user',
    `GET http://a@b/ HTTP/1.1\r\nHost: here\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  ['a broken path', `GET //a@[b# HTTP/1.1\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['a fragment', `GET /a#b HTTP/1.1\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['raw UTF-8 in the path', `GET /№ HTTP/1.1\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['no Host', `GET / HTTP/1.1\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['a Host that is none', `GET / HTTP/1.1\r\nHost: a b\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  [
    'a header that is none',
    `GET / HTTP/1.1\r\nHost: here\r\nA B: c\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a control character in a header',
    `GET / HTTP/1.1\r\nHost: here\r\nA: b\0c\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'two lengths',
    `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nContent-Length: 2\r\n${close1}ab`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a length and chunks',
    `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${close1}0\r\n\r\n`,
    400,
    'VALIDATION_FAILED',
  ],
  ['an unknown method', `BUY / HTTP/1.1\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['another version', `GET / HTTP/7.3\r\nHost: here\r\n${close1}`, 400, 'VALIDATION_FAILED'],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01', 400, 'VALIDATION_FAILED'],
  [
    'headers too large',
    `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}\r\n${close1}`,
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'another expectation',
    `GET / HTTP/1.1\r\nHost: here\r\nExpect: a-miracle\r\n${close1}`,
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a tunnel',
    `CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n${close1}`,
    405,
    'METHOD_NOT_ALLOWED',
  ],
] as const) {
  test(`${what} gets an error of the usual form, with a request id`, async (t) => {
    const [head = '', body = ''] = (await answerTo(t, bytes)).split('\r\n\r\n');
    t.is(head.split('\r\n')[0]?.split(' ')[1], String(status));
    t.regex(head, /^x-request-id: req_\w+$/im);
    t.regex(head, /^content-type: application\/json/im);
    t.regex(head, /^connection: close$/im);
    const { error } = JSON.parse(body);
    t.is(error.code, code);
    t.regex(error.message, /^[A-Z].*\.$/);
  });
}

test('what is refused as HTTP is logged under its request id, without what was sent', async (t) => {
  const lines: object[] = [];
  const server = await listen(
    new Koa(),
    '127.0.0.1',
    0,
    {},
    { info: (line: object) => lines.push(line) },
  );
  t.teardown(() => close(server));
  const socket = await connectTo(server, 'GET /#secret HTTP/1.1\r\nHost: here\r\n\r\n');
  const [, requestId] = /x-request-id: (\S+)/i.exec(await text(socket)) ?? [];
  t.deepEqual(lines, [{ requestId, status: 400, code: 'VALIDATION_FAILED', reason: 'target' }]);
});

test('a target in absolute form is the same request', async (t) => {
  for (const [target, expected] of [
    ['/a?b=%2f&c=[d]', 'GET here /a?b=%2f&c=[d]'],
    ['http://there/a?b', 'GET there /a?b'],
    ['HTTPS://there:8443/%e2%84%96', 'GET there:8443 /%e2%84%96'],
    ['http://there', 'GET there /'],
    ['http://there?b', 'GET there /?b'],
    ['http://[2001:db8::7]:80/a', 'GET [2001:db8::7]:80 /a'],
  ] as const) {
    const answer = await answerTo(t, `GET ${target} HTTP/1.1\r\nHost: here\r\n${close1}`);
    t.true(answer.endsWith(expected), `${target}: ${answer}`);
  }
});

test('HTTP/1.0 needs no Host', async (t) => {
  t.regex(await answerTo(t, 'GET /a HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200.*GET {2}\/a$/s);
});

const errors = {
  tooLarge: () => new ServiceError('PAYLOAD_TOO_LARGE', 'too large'),
  incomplete: () => new ServiceError('INVALID_JSON', 'incomplete'),
};
const upload = (length: number, sent: string): string =>
  `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\n${sent}`;

/** Answers with the body, within a time. @param work done before the response */
const echo =
  (timeoutMs: number, work = async () => undefined as unknown): Koa.Middleware =>
  async (ctx) => {
    const context = ctx as unknown as HttpContext;
    await responseTimeout(timeoutMs)(context, async () => {
      const body = await readBody(context, 10, errors);
      await work();
      ctx.body = body.toString();
    }).catch((error: ServiceError) => {
      ctx.status = error.status;
      ctx.body = error.code;
    });
  };

const [short, long] = [500, 60_000];
const never = () => new Promise(() => undefined);
for (const [what, bytes, timeoutMs, work, expected] of [
  [
    'a body that stalls is a 408',
    upload(5, 'ab'),
    short,
    undefined,
    /408.*close.*REQUEST_TIMEOUT/s,
  ],
  ['a long body is not read', upload(50, 'ab'), long, undefined, /413.*close.*PAYLOAD_TOO_LARGE/s],
  ['a late response is a 503', upload(2, 'ab'), short, never, /503.*UNAVAILABLE/s],
  ['a body in time is read', upload(2, 'ab'), long, undefined, /200.*ab$/s],
] as const) {
  test(what, async (t) => {
    const speak = await startRaw(t, {}, echo(timeoutMs, work));
    const [answer] = await once(await speak(bytes), 'data');
    t.regex(String(answer), expected);
  });
}

test('a longer body may take longer', (t) => {
  t.is(arrivalMs(5_000, 0), 5_000);
  t.is(arrivalMs(5_000, 64 * 1024), 7_048);
  t.is(arrivalMs(5_000, 5 * 1024 * 1024), 168_840);
  t.true(arrivalMs(30_000, 5 * 1024 * 1024) < serverLimits.requestTimeout);
});

test('the response’s time does not run while the body arrives', async (t) => {
  let clock: ResponseClock | undefined;
  const speak = await startRaw(t, {}, async (ctx) => {
    const context = ctx as unknown as HttpContext;
    await responseTimeout(long)(context, async () => {
      const calls: string[] = [];
      clock = {
        timeoutMs: long,
        stop: () => calls.push('stop'),
        start: () => calls.push('start'),
      };
      context.state.responseClock = clock;
      const reading = readBody(context, 10, errors);
      ctx.body = `${calls} ${(await reading) && calls}`;
    });
  });
  const [answer] = await once(await speak(upload(2, 'ab')), 'data');
  t.regex(String(answer), /stop stop,start$/);
});

test('what reads a body ends with its connection, also after the response', async (t) => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const speak = await startRaw(t, {}, async (ctx) => {
    text(ctx.req).then(resolve, resolve);
    ctx.set('Connection', 'close');
    ctx.body = 'done';
  });
  const socket = await speak(upload(5, 'ab'));
  t.regex(String((await once(socket, 'data'))[0]), /done$/);
  t.true((await ended) instanceof Error);
});

const unreachable = new mongo.MongoNetworkError('connection closed');
const noResult = {} as mongo.BulkWriteResult;

test('an unreachable server is UNAVAILABLE, also for a bulk write; anything else is INTERNAL', (t) => {
  const writesOf = (error: Error) => new mongo.MongoBulkWriteError(error, noResult);
  for (const [code, thrown] of [
    ['UNAVAILABLE', unreachable],
    ['UNAVAILABLE', writesOf(unreachable)],
    ['UNAVAILABLE', new mongo.MongoServerError({ message: 'in quiesce mode', code: 91 })],
    ['INTERNAL', new mongo.MongoServerError({ message: 'a bad command', code: 59 })],
    ['INTERNAL', writesOf(new Error('a fault'))],
    ['INTERNAL', new Error('a fault')],
  ] as const) {
    t.is(toServiceError(thrown).code, code, String(thrown));
  }
});

const clock = () => {
  let nowMs = 0;
  return {
    elapsedMs: () => nowMs,
    pass(ms: number) {
      nowMs += ms;
    },
  };
};

test('a window lets a limited number through per key, and the next window starts anew', (t) => {
  const { elapsedMs, pass } = clock();
  const windows = createWindows({ limit: 2, windowMs: 60_000, elapsedMs });
  t.deepEqual(windows.take('a'), { isGranted: true, resetSeconds: 60 });
  pass(30_500);
  t.deepEqual(windows.take('a'), { isGranted: true, resetSeconds: 30 });
  t.false(windows.take('a').isGranted);
  t.true(windows.take('b').isGranted);
  pass(29_500);
  t.true(windows.take('a').isGranted);
});

test('a success is forgotten', (t) => {
  const windows = createWindows({ limit: 1, windowMs: 60_000 });
  windows.take('a');
  windows.clear('a');
  t.true(windows.take('a').isGranted);
});

test('the table is bounded: the least recently seen key is evicted', (t) => {
  const windows = createWindows({ limit: 1, windowMs: 60_000, tableSize: 2 });
  for (const key of ['a', 'b', 'c']) windows.take(key);
  t.true(windows.take('a').isGranted);
  t.false(windows.take('c').isGranted);
});
