import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import test from 'ava';
import { type GenerateResult, generate } from 'selfsigned';
import { createLogger } from '../../platform/logger.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { hasSchedules } from '../../temporal/schedules.ts';
import { openWorkerConnection } from '../../worker/connection.ts';
import { keepSchedules } from '../../worker/keep-schedules.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

const certificate = (name: string) =>
  generate([{ name: 'commonName', value: name }], { algorithm: 'sha256' });

/** What stands before Temporal where it takes nobody without a certificate. */
async function startGate(target: string, own: GenerateResult, taken: GenerateResult) {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<TLSSocket>();
  let trusted = taken.cert;
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
    /** Takes another certificate from now on, and nobody who came by the one before. */
    take({ cert }: GenerateResult): void {
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

test('clients and workers show their certificate, and the next one without a restart; so does who sets up an emptied Temporal', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [own, first, second] = await Promise.all(
    ['temporal.example', 'first', 'second'].map(certificate),
  );
  if (!own || !first || !second) throw new Error('three were made');
  const file = (name: string) => join(folder, name);
  const show = async (shown: GenerateResult) => {
    await writeFile(file('key.pem'), shown.private);
    await writeFile(file('cert.pem'), shown.cert);
  };
  await writeFile(file('ca.pem'), own.cert);
  await show(first);
  const gate = await startGate(service.config.temporal.address, own, first);
  t.teardown(() => gate.stop());

  const { temporal } = service.config;
  const config = {
    ...temporal,
    address: gate.address,
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

  const client = connectTemporal(config, 0);
  const answers = () =>
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
  await eventually(answers, 'the first certificate is taken');

  gate.take(second);
  await show(second);
  await eventually(answers, 'the second certificate is taken');
  await eventually(async () => used.length > 0, 'the worker has another connection');

  const lost = { ...config, namespace: `emptied-${randomUUID()}`, taskQueue: randomUUID() };
  const emptied = connectTemporal(lost, 0);
  t.teardown(() => emptied.connection.close());
  const kept = keepSchedules(emptied, lost, { warn: () => undefined }, 200);
  t.teardown(() => kept.stop());
  await eventually(
    () => hasSchedules(emptied, lost.taskQueue).catch(() => false),
    'the namespace and its schedules are there',
  );
});
