import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import test from 'ava';
import {
  addressProblem,
  allowedAddressOf,
  guardedLookup,
  isAllowedAddress,
} from '../../messaging/webhooks/addresses.ts';
import { createPostWebhook } from '../../messaging/webhooks/post.ts';

const forbidden = [
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
  // Link-local, including cloud metadata services.
  ...['169.254.0.1', '169.254.169.254', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['192.0.0.8', '198.18.0.1'],
  ...['::', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '100::1'],
  // With an embedded IPv4 address: mapped, compatible, translated (NAT64, 6to4, Teredo).
  ...['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::10.0.0.1', '64:ff9b::10.0.0.1'],
  ...['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '2002:c0a8:101::', '::ffff:0:8.8.8.8'],
  ...['64:ff9b:1::a00:1', '2002:a00:1::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ...['', 'example.com', '1.2.3', '0x7f.1'],
];
const loopback = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
const open = [
  ...['8.8.8.8', '1.1.1.1', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111'],
  // NAT64 and 6to4 lead to the IPv4 address in them.
  ...['64:ff9b::8.8.8.8', '2002:808:808::1'],
];

test('a webhook goes only to public addresses, and to this machine where allowed', (t) => {
  for (const allowLoopback of [false, true]) {
    for (const address of forbidden) t.false(isAllowedAddress(address, { allowLoopback }), address);
    for (const address of open) t.true(isAllowedAddress(address, { allowLoopback }), address);
    for (const address of loopback) {
      t.is(isAllowedAddress(address, { allowLoopback }), allowLoopback, address);
    }
  }
});

test('an endpoint’s address is HTTPS and public, or this machine for TEST, where allowed', (t) => {
  const refused = [
    ...[
      'http://example.com/',
      'ftp://example.com/',
      'example.com',
      '/hook',
      'https://a:b@example.com/',
    ],
    ...[
      'https://10.0.0.1/',
      'https://[fd00::1]/',
      'https://169.254.169.254/latest',
      'https://a.b/#c',
    ],
    // Other spellings of private addresses, which URL parsing normalizes.
    ...['https://0xa.0.0.1/', 'https://167772161/', 'https://[::ffff:10.0.0.1]/'],
  ];
  const local = [
    'http://127.0.0.1:1/hook',
    'http://localhost/',
    'https://[::1]/',
    'http://2130706433/',
  ];
  for (const url of refused) t.truthy(addressProblem(url, 'TEST', true), url);
  for (const url of local) {
    t.is(addressProblem(url, 'TEST', true), undefined, url);
    t.truthy(addressProblem(url, 'TEST', false), url);
    t.truthy(addressProblem(url, 'LIVE', true), url);
  }
  t.is(addressProblem('https://example.com/hooks?key=1', 'LIVE', false), undefined);
});

test('a name is checked by what it resolves to on connecting', async (t) => {
  const resolved = (allowLoopback: boolean, all: boolean) =>
    new Promise((resolve) => {
      guardedLookup({ allowLoopback })('localhost', { all }, (error, found) =>
        resolve(error ? error.name : found),
      );
    });
  t.is(await resolved(false, true), 'ForbiddenAddressError');
  t.is(await resolved(false, false), 'ForbiddenAddressError');
  t.regex(String(await resolved(true, false)), /^(127\.0\.0\.1|::1)$/);
});

test('with a proxy, webhooks go out only through it, and after the address check', async (t) => {
  const connects: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(500).end());
  proxy.on('connect', (request, socket) => {
    connects.push(`${request.url} ${request.headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const proxyUrl = `http://user:word@127.0.0.1:${port}`;
  const post = createPostWebhook({ allowLoopback: false, proxyUrl });
  const sent = (url: string) => post({ url, mode: 'LIVE' })({}, '{}');
  t.is((await sent('https://8.8.8.8/hook')).status, null);
  t.deepEqual(connects, [`8.8.8.8:443 Basic ${Buffer.from('user:word').toString('base64')}`]);
  t.is((await sent('https://10.0.0.1/')).error, 'ADDRESS_NOT_ALLOWED');
  // A name that resolves to this machine.
  await t.throwsAsync(allowedAddressOf('localhost', { allowLoopback: false }));
  t.is(connects.length, 1);
  proxy.closeAllConnections();
  proxy.close();
});

test('a proxy is asked for the checked address, not for the name, and never for a forbidden one', async (t) => {
  const connects: string[] = [];
  const names: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    connects.push(String(request.url));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.once('data', (hello: Buffer) => {
      names.push(hello.includes('shop.example') ? 'shop.example' : '');
      socket.destroy();
    });
    socket.on('error', () => undefined);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const answers = [['10.0.0.1', '8.8.8.8'], ['2606:4700::1111'], ['10.0.0.1', '::1']];
  const post = createPostWebhook({
    allowLoopback: false,
    proxyUrl: `http://127.0.0.1:${port}`,
    resolveName(_name, _options, callback) {
      const found = answers.shift() ?? [];
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
  const send = post({ url: 'https://shop.example:8443/hook', mode: 'LIVE' });
  await send({}, '{}');
  await send({}, '{}');
  t.is((await send({}, '{}')).error, 'ADDRESS_NOT_ALLOWED');
  t.deepEqual(connects, ['8.8.8.8:8443', '[2606:4700::1111]:8443']);
  t.deepEqual(names, ['shop.example', 'shop.example'], 'TLS is for the name');
  proxy.closeAllConnections();
  proxy.close();
});

test('a name with a forbidden address among others is connected to at the others alone', async (t) => {
  const found = await new Promise((resolve) => {
    const lookup = guardedLookup({ allowLoopback: false }, (_name, _options, callback) =>
      callback(
        null,
        ['169.254.169.254', '8.8.8.8'].map((address) => ({ address, family: 4 })),
      ),
    );
    lookup('shop.example', { all: true }, (_error, addresses) => resolve(addresses));
  });
  t.deepEqual(found, [{ address: '8.8.8.8', family: 4 }]);
});

test('a receiver that does not respond in time is abandoned, and the connection closed', async (t) => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const closed = once(silent, 'connection').then(([socket]) => once(socket, 'close'));
  const { port } = silent.address() as AddressInfo;
  const post = createPostWebhook({ allowLoopback: true, timeoutMs: 50 });
  const answer = await post({ url: `http://127.0.0.1:${port}/`, mode: 'TEST' })({}, '{}');
  t.like(answer, { status: null, error: 'TIMEOUT' });
  await closed;
  silent.close();
});

test('a status that has arrived counts, whatever becomes of the body', async (t) => {
  const ends: ((response: ServerResponse) => void)[] = [
    () => undefined,
    (response) => response.destroy(),
    (response) => response.socket?.write('no chunk\r\n'),
  ];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200);
    response.write('received', () => ends.shift()?.(response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const post = createPostWebhook({ allowLoopback: true, timeoutMs: 2_000 });
  const send = post({ url: `http://127.0.0.1:${port}/`, mode: 'TEST' });
  for (const what of ['stalls', 'breaks off', 'is malformed']) {
    t.like(await send({}, '{}'), { status: 200, error: null }, what);
  }
  server.closeAllConnections();
  server.close();
});

test('Retry-After is understood in seconds and as a date', async (t) => {
  const values = ['120', new Date(Date.now() + 3_600_000).toUTCString(), 'soon', '-5', undefined];
  const server = createServer((_request, response) => {
    const after = values.shift();
    response.writeHead(503, after === undefined ? {} : { 'retry-after': after }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const post = createPostWebhook({ allowLoopback: true });
  const send = post({ url: `http://127.0.0.1:${port}/`, mode: 'TEST' });
  t.is((await send({}, '{}')).retryAfterMs, 120_000);
  const byDate = (await send({}, '{}')).retryAfterMs ?? 0;
  t.true(byDate > 0 && byDate <= 3_600_000);
  for (const what of ['soon', '-5', 'nothing']) {
    t.is((await send({}, '{}')).retryAfterMs ?? 0, 0, what);
  }
  server.closeAllConnections();
  server.close();
});

test('a name that resolves differently on the second connection is checked again', async (t) => {
  let connections = 0;
  const refusing = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end('no TLS here');
  });
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  const { port } = refusing.address() as AddressInfo;
  const answers = ['127.0.0.1', '10.0.0.1', '::ffff:169.254.169.254'];
  const post = createPostWebhook({
    allowLoopback: true,
    resolveName(_name, _options, callback) {
      const address = answers.shift() ?? '10.0.0.1';
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    },
  });
  const send = post({ url: `https://shop.example:${port}/`, mode: 'TEST' });
  t.not((await send({}, '{}')).error, 'ADDRESS_NOT_ALLOWED');
  t.is(connections, 1);
  t.is((await send({}, '{}')).error, 'ADDRESS_NOT_ALLOWED');
  t.is((await send({}, '{}')).error, 'ADDRESS_NOT_ALLOWED');
  t.is(connections, 1);
  refusing.close();
});
