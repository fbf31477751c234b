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
import { createLogger } from '../../platform/logger.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { hasSchedules } from '../../temporal/schedules.ts';
import { createSecurityWatch, readSecurity } from '../../temporal/security.ts';
import { openWorkerConnection } from '../../worker/connection.ts';
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
  let trusted = accepted.cert;
  const terms = { requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
  const server = createServer(
    { key: own.private, cert: own.cert, ca: trusted, ...terms },
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
    /** Accepts another certificate instead, and closes the existing connections. */
    accept({ cert }: GenerateResult): void {
      trusted = cert;
      server.setSecureContext({ key: own.private, cert: own.cert, ca: trusted });
      for (const socket of sockets) socket.destroy();
    },
    stop(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('clients, workers and the set-up of an empty Temporal use a renewed certificate without a restart', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [own, first, second] = await Promise.all(
    ['temporal.example', 'first', 'second'].map(certificate),
  );
  if (!own || !first || !second) throw new Error('expected three certificates');
  const file = (name: string) => join(folder, name);
  const writeClient = async (client: GenerateResult) => {
    await writeFile(file('key.pem'), client.private);
    await writeFile(file('cert.pem'), client.cert);
  };
  await writeFile(file('ca.pem'), own.cert);
  await writeClient(first);
  const proxy = await startTlsProxy(service.config.temporal.address, own, first);
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

  const client = connectTemporal(config, { everyMs: 0 });
  const isAccepted = () =>
    client.connection
      .withDeadline(Date.now() + 2_000, () =>
        client.connection.workflowService.describeNamespace({ namespace }),
      )
      .then(
        () => true,
        () => false,
      );
  t.teardown(() => client.connection.close());
  const worker = await openWorkerConnection(config, createLogger('worker', service.config.log), 50);
  t.teardown(() => worker.close());
  const used: unknown[] = [];
  worker.follow({ use: (connection) => void used.push(connection) });
  await eventually(isAccepted, 'the first certificate is accepted');

  proxy.accept(second);
  await writeClient(second);
  await eventually(isAccepted, 'the second certificate is accepted');
  await eventually(async () => used.length > 0, 'the worker uses a new connection');

  const emptyNamespace = {
    ...config,
    namespace: `emptied-${randomUUID()}`,
    taskQueue: randomUUID(),
  };
  const emptied = connectTemporal(emptyNamespace, { everyMs: 0 });
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
  let required = accepted;
  const upstream = connectHttp2(`http://${target}`);
  upstream.on('error', () => undefined);
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers.authorization !== `Bearer ${required}`) {
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
    accept(key: string): void {
      required = key;
    },
    stop(): void {
      server.close();
      upstream.destroy();
    },
  };
}

test('an API key replaced in its file is used without a restart; while the file is empty, the previous one stays', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'api-keys-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'key');
  await writeFile(file, 'first\n');
  const { temporal } = service.config;
  const proxy = await startKeyProxy(temporal.address, 'first');
  t.teardown(() => proxy.stop());
  const files = { apiKey: file, ca: undefined, certificate: undefined, key: undefined };
  const config = { ...temporal, address: proxy.address, files };
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const client = connectTemporal(config, { log, everyMs: 0 });
  t.teardown(() => client.connection.close());
  const { namespace } = temporal;
  const call = () => client.connection.workflowService.describeNamespace({ namespace });
  await t.notThrowsAsync(call);

  // A program that truncates the file before it writes leaves it empty for a moment.
  await writeFile(file, '');
  await t.notThrowsAsync(call);
  await t.notThrowsAsync(call);
  const reason = `TEMPORAL_API_KEY_FILE names ${file}, which is empty.`;
  t.deepEqual(warnings, [{ reason }], 'the warning is logged once');

  proxy.accept('second');
  await t.throwsAsync(call, { message: /UNAUTHENTICATED/ });
  await writeFile(file, 'second\n');
  await t.notThrowsAsync(call);

  const worker = await openWorkerConnection(config, createLogger('worker', service.config.log), 50);
  t.teardown(() => worker.close());
  const used: unknown[] = [];
  worker.follow({ use: (connection) => void used.push(connection) });
  proxy.accept('third');
  await writeFile(file, 'third\n');
  await eventually(async () => used.length > 0, 'the worker uses a connection with the third key');
});

test('a mismatched key or a truncated file is ignored while running, and refused at start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'half-written-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [first, second] = await Promise.all(['first', 'second'].map(certificate));
  if (!first || !second) throw new Error('expected two certificates');
  const at = (name: string) => join(folder, name);
  const files = { apiKey: undefined, ca: undefined, certificate: at('cert'), key: at('key') };
  const config = { ...service.config.temporal, files };
  await writeFile(files.certificate, first.cert);
  await writeFile(files.key, first.private);
  const warnings: { reason: string }[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields as { reason: string }) };
  const changed = createSecurityWatch(config, readSecurity(config), { log, everyMs: 0 });
  t.is(changed(), undefined);

  await writeFile(files.certificate, second.cert.slice(0, 100));
  t.is(changed(), undefined);
  await writeFile(files.certificate, second.cert);
  t.is(changed(), undefined);
  t.deepEqual(
    warnings.map(({ reason }) => reason),
    [
      `${files.certificate} is not a certificate in PEM.`,
      `${files.key} is not the key of the certificate in ${files.certificate}.`,
    ],
  );
  t.throws(() => readSecurity(config), { message: warnings[1]?.reason ?? '' });
  await writeFile(files.key, second.private);
  t.deepEqual(changed(), readSecurity(config));
  t.is(changed(), undefined, 'the change is reported once');
});
