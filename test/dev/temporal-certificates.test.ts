import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type SecureContextOptions } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const script = fileURLToPath(new URL('../../deploy/docker/certificates.sh', import.meta.url));

async function makeCertificates(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const make = () =>
    promisify(execFile)('sh', [script, join(folder, 'server'), join(folder, 'client')]);
  await make();
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  const client = {
    ca: await read('client/ca.pem'),
    cert: await read('client/client.pem'),
    key: await read('client/client.key'),
  };
  return { make, read, client };
}

/** Starts a server with the configuration of Temporal's frontend. @returns what this client receives from it */
async function greeting(
  t: ExecutionContext,
  { read }: Awaited<ReturnType<typeof makeCertificates>>,
  client: SecureContextOptions,
  servername = 'temporal',
): Promise<string> {
  const server = createServer(
    {
      cert: await read('server/server.pem'),
      key: await read('server/server.key'),
      ca: [await read('server/clients-ca.pem'), await read('server/ca.pem')],
      requestCert: true,
      rejectUnauthorized: true,
    },
    (socket) => socket.end('welcome'),
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return await new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ ...client, host: '127.0.0.1', port, servername });
    socket.on('data', (part) => {
      received += part;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

test('a client with its certificate is accepted, and verifies the server', async (t) => {
  const of = await makeCertificates(t);
  t.is(await greeting(t, of, of.client), 'welcome');
});

test('a client without a certificate, or with another installation’s, is rejected', async (t) => {
  const [of, other] = [await makeCertificates(t), await makeCertificates(t)];
  // A client may notice the rejection only when the connection ends.
  for (const client of [{ ca: of.client.ca }, { ...other.client, ca: of.client.ca }]) {
    t.not(await greeting(t, of, client).catch(() => 'refused'), 'welcome');
  }
});

test('a client rejects another server, and one under another name', async (t) => {
  const [of, other] = [await makeCertificates(t), await makeCertificates(t)];
  await t.throwsAsync(greeting(t, other, of.client), undefined);
  await t.throwsAsync(greeting(t, of, of.client, 'mongodb'), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('a client’s certificate cannot act as a server, and the issuer’s key is not stored', async (t) => {
  const of = await makeCertificates(t);
  const read = async (path: string) => of.read(path.replace('server/server', 'client/client'));
  await t.throwsAsync(greeting(t, { ...of, read }, { ...of.client, ca: of.client.ca }), undefined);
  const texts = await Promise.all(
    ['server/ca.pem', 'server/clients-ca.pem', 'client/ca.pem'].map((path) => of.read(path)),
  );
  for (const text of texts) t.false(text.includes('PRIVATE'));
});

test('existing certificates are left unchanged', async (t) => {
  const of = await makeCertificates(t);
  const { stdout } = await of.make();
  t.regex(stdout, /are there/);
  t.is(await of.read('client/client.pem'), of.client.cert);
});
