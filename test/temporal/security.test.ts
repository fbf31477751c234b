import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import test from 'ava';
import { type GenerateResult, generate } from 'selfsigned';
import { connectTemporal } from '../../temporal/connection.ts';
import { hasSchedules } from '../../temporal/schedules.ts';
import { readSecurity } from '../../temporal/security.ts';
import { watchSchedules } from '../../worker/watch-schedules.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

const certificate = (name: string) =>
  generate([{ name: 'commonName', value: name }], { algorithm: 'sha256' });

/** Starts a proxy in front of Temporal that requires a client certificate. */
async function startTlsProxy(target: string, own: GenerateResult, accepted: GenerateResult) {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<TLSSocket>();
  const terms = { requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
  const server = createServer(
    { key: own.private, cert: own.cert, ca: accepted.cert, ...terms },
    (socket) => {
      sockets.add(socket);
      const upstream = connect(Number(port), host);
      for (const one of [socket, upstream]) {
        one.on('error', () => one.destroy());
        one.on('close', () => [socket, upstream].forEach((other) => void other.destroy()));
      }
      socket.on('close', () => sockets.delete(socket));
      socket.pipe(upstream).pipe(socket);
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('clients and the set-up of an empty Temporal use the client certificate', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [own, client] = await Promise.all(['temporal.example', 'client'].map(certificate));
  if (!own || !client) throw new Error('expected two certificates');
  const file = (name: string) => join(folder, name);
  await writeFile(file('ca.pem'), own.cert);
  await writeFile(file('key.pem'), client.private);
  await writeFile(file('cert.pem'), client.cert);
  const proxy = await startTlsProxy(service.config.temporal.address, own, client);
  t.teardown(() => proxy.stop());

  const { temporal } = service.config;
  const config = {
    ...temporal,
    address: proxy.address,
    files: {
      apiKey: undefined,
      ca: file('ca.pem'),
      certificate: file('cert.pem'),
      key: file('key.pem'),
    },
    serverName: 'temporal.example',
  };
  const { namespace } = temporal;
  const stranger = connectTemporal({
    ...config,
    files: { ...config.files, certificate: undefined },
  });
  await t.throwsAsync(() =>
    stranger.connection.withDeadline(Date.now() + 2_000, () =>
      stranger.connection.workflowService.describeNamespace({ namespace }),
    ),
  );
  await stranger.connection.close();

  const emptyNamespace = {
    ...config,
    namespace: `emptied-${randomUUID()}`,
    taskQueue: randomUUID(),
  };
  const emptied = connectTemporal(emptyNamespace);
  t.teardown(() => emptied.connection.close());
  const watch = watchSchedules(emptied, emptyNamespace, { warn: () => undefined }, 200);
  t.teardown(() => watch.stop());
  await eventually(
    () => hasSchedules(emptied, emptyNamespace.taskQueue).catch(() => false),
    'the namespace and its schedules exist',
  );
});

/** Starts a proxy in front of Temporal that requires an API key. */
async function startKeyProxy(target: string, accepted: string) {
  const upstream = connectHttp2(`http://${target}`);
  upstream.on('error', () => undefined);
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers.authorization !== `Bearer ${accepted}`) {
      const refusal = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' };
      stream.respond(refusal, { endStream: true });
      return;
    }
    const forwarded = upstream.request(headers);
    forwarded.on('error', () => stream.close());
    let trailers = {};
    forwarded.on('trailers', (last) => {
      trailers = last;
    });
    forwarded.on('response', (answer, flags) => {
      const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(answer, { endStream: isOver, waitForTrailers: !isOver });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      if (!isOver) forwarded.pipe(stream);
    });
    stream.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): void {
      server.close();
      upstream.destroy();
    },
  };
}

test('a client sends the API key', async (t) => {
  const { temporal } = service.config;
  const proxy = await startKeyProxy(temporal.address, 'right');
  t.teardown(() => proxy.stop());
  const { namespace } = temporal;
  const callWith = async (apiKey: string) => {
    const client = connectTemporal({ ...temporal, address: proxy.address, apiKey });
    t.teardown(() => client.connection.close());
    return client.connection.workflowService.describeNamespace({ namespace });
  };
  await t.throwsAsync(() => callWith('wrong'), { message: /UNAUTHENTICATED/ });
  await t.notThrowsAsync(() => callWith('right'));
});

test('a truncated certificate and a mismatched key are refused at start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'half-written-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [first, second] = await Promise.all(['first', 'second'].map(certificate));
  if (!first || !second) throw new Error('expected two certificates');
  const at = (name: string) => join(folder, name);
  const files = { apiKey: undefined, ca: undefined, certificate: at('cert'), key: at('key') };
  const config = { ...service.config.temporal, files };
  await writeFile(files.key, first.private);
  await writeFile(files.certificate, second.cert.slice(0, 100));
  t.throws(() => readSecurity(config), {
    message: `${files.certificate} is not a certificate in PEM.`,
  });
  await writeFile(files.certificate, second.cert);
  t.throws(() => readSecurity(config), {
    message: `${files.key} is not the key of the certificate in ${files.certificate}.`,
  });
  await writeFile(files.key, second.private);
  t.notThrows(() => readSecurity(config));
});
