import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import fc from 'fast-check';
import Koa from 'koa';
import { close, listen, portOf } from '../../http/listen.ts';

/** Bytes, not requests: what no client library lets through. Bounded by the number of runs, not by time. */
const runs = 400;

const token = fc.stringMatching(/^[A-Za-z-]{1,12}$/);
const noise = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const line = fc.oneof(
  fc.constantFrom(
    'Host: a',
    'Host:',
    'Host: a\0b',
    'Host: a b',
    'Host: [',
    'Host: a, b',
    'Host: user@a',
  ),
  fc.constantFrom(
    'Content-Length: 3',
    'Content-Length: -1',
    'Content-Length: 1e3',
    'Content-Length: 3, 3',
  ),
  fc.constantFrom(
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding : chunked',
  ),
  fc.constantFrom(
    'Expect: 100-continue',
    'Expect: 200',
    'Connection: upgrade',
    'Upgrade: h2c',
    ' folded',
  ),
  fc.constantFrom(
    'Content-Type: application/json; charset',
    'Content-Type: ;',
    'Accept: */*;q=x',
    'Cookie: =',
  ),
  fc.tuple(token, noise).map(([name, value]) => `${name}: ${value}`),
  noise,
);
const target = fc.oneof(
  fc.constantFrom(
    '/',
    '*',
    '//',
    '/%',
    '/%ff',
    '/%00',
    '/a?b#c',
    '/№',
    '',
    'http://',
    'http://a',
    'http://[/',
  ),
  fc.constantFrom(
    'https://a:99999/',
    'http://a@b/',
    'a:443',
    '/../..',
    '/a//b',
    '/;a=b',
    'ftp://a/',
  ),
  noise.map((text) => `/${text}`),
);
const method = fc.oneof(
  fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'PRI', 'get', 'G\0T', ''),
  token,
);
const version = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP', '');
const end = fc.constantFrom('\r\n', '\n', '\r', '\r\n\r\n');
const request = fc
  .record({ method, target, version, lines: fc.array(line, { maxLength: 6 }), end, body: noise })
  .map((one) =>
    [`${one.method} ${one.target} ${one.version}`, ...one.lines, '', one.body].join(one.end),
  );
const bytes = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: noise },
);

test('whatever bytes arrive, each answer is a whole one, a refusal has the usual form, and the next client is served', async (t) => {
  t.timeout(240_000);
  const app = new Koa();
  const faults: unknown[] = [];
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!/^(HPE_|ECONN|EPIPE|ERR_STREAM_)/.test(error.code ?? '')) faults.push(error);
  });
  app.use((ctx) => {
    // What routing, logs and limits look at.
    ctx.body = [ctx.path, ctx.querystring, ctx.host, ctx.request.type, ctx.request.charset].join(
      '\n',
    );
  });
  const quick = { headersTimeout: 300, requestTimeout: 300, keepAliveTimeout: 50 };
  const server = await listen(app, '127.0.0.1', 0, { ...quick, connectionsCheckingInterval: 50 });
  t.teardown(() => close(server, 100));
  const port = portOf(server);

  const sent = async (text: string): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    const closed = once(socket, 'close').catch(() => undefined);
    socket.end(Buffer.from(text, 'latin1'));
    await closed;
    return Buffer.concat(parts).toString('latin1');
  };
  await fc.assert(
    fc.asyncProperty(bytes, async (text) => {
      const answer = await sent(text);
      if (answer !== '') t.regex(answer, /^HTTP\/1\.1 [1-5]\d\d /);
      const refusals = answer.matchAll(/HTTP\/1\.1 4\d\d [^\r\n]*\r\n(.*?)\r\n\r\n(\{.*?\}\})?/gs);
      for (const [, headers = '', body = ''] of refusals) {
        t.regex(headers, /^x-request-id: req_/im);
        if (body !== '') t.truthy(JSON.parse(body).error.code);
      }
      const next = await sent('GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      t.regex(next, /^HTTP\/1\.1 200/);
    }),
    { numRuns: runs },
  );
  t.deepEqual(faults, []);
});
