import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import mongoose from 'mongoose';
import { generate } from 'selfsigned';
import { runMongod } from '../../dev/servers/mongo.ts';
import { choosePort, onFreePort } from '../../dev/servers/ports.ts';
import { userCacheDir } from '../../dev/servers.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { eventually } from '../helpers/eventually.ts';
import { testUri } from '../helpers/test-database.ts';

test('the required read and write settings override those of the URI', async (t) => {
  const uri = new URL(testUri());
  for (const [name, value] of Object.entries({
    w: '1',
    journal: 'false',
    readConcernLevel: 'local',
    readPreference: 'secondary',
    retryWrites: 'false',
    retryReads: 'false',
  })) {
    uri.searchParams.set(name, value);
  }
  const connection = await connectMongo(uri.href);
  t.teardown(() => connection.close());
  const { writeConcern, readConcern, readPreference, retryWrites, retryReads } =
    connection.getClient().options;
  t.like(writeConcern, { w: 'majority', journal: true });
  t.is(readConcern.level, 'majority');
  t.is(readPreference.mode, 'primary');
  t.deepEqual([retryWrites, retryReads], [true, true]);
});

const { MongoClient } = mongoose.mongo;

test('a database that requires TLS, its own CA and a password is reachable', async (t) => {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'mongo-tls-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const file = (name: string) => join(dataDir, name);
  const own = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const other = await generate([{ name: 'commonName', value: 'other' }], { algorithm: 'sha256' });
  await writeFile(file('server.pem'), own.private + own.cert);
  await writeFile(file('ca.pem'), own.cert);
  await writeFile(file('other.pem'), other.cert);
  await writeFile(file('key'), randomBytes(64).toString('base64'), { mode: 0o600 });
  const options = {
    dataDir,
    env: process.env,
    cacheDir: userCacheDir(process.env),
    log: () => undefined,
  };
  const port = await onFreePort(async () => {
    const wanted = { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: 0 };
    const free = await choosePort(wanted, {}, options.log);
    const mongod = await runMongod(options, free, [
      ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', file('server.pem')],
      ...['--tlsCAFile', file('ca.pem'), '--tlsAllowConnectionsWithoutCertificates'],
      ...['--keyFile', file('key')],
    ]);
    t.teardown(() => mongod.stop());
    return free;
  });
  const address = `127.0.0.1:${port}`;
  const tls = `tls=true&tlsCAFile=${encodeURIComponent(file('ca.pem'))}`;

  // MongoDB's localhost exception: while there are no users, a local connection may create the first one.
  const first = new MongoClient(`mongodb://${address}/?directConnection=true&${tls}`);
  const admin = first.db('admin');
  const members = [{ _id: 0, host: address }];
  await admin.command({ replSetInitiate: { _id: 'rs0', members } });
  const isPrimary = async () => (await admin.command({ hello: 1 })).isWritablePrimary;
  await eventually(isPrimary, 'the member is primary');
  await admin.command({ createUser: 'root', pwd: 'root', roles: ['root'] });
  await first.close();
  const root = new MongoClient(`mongodb://root:root@${address}/?directConnection=true&${tls}`);
  const role = { role: 'readWrite', db: 'rewards' };
  await root.db('admin').command({ createUser: 'service', pwd: 'p@ss word', roles: [role] });
  await root.close();

  const uriOf = (user: string, options: string) =>
    `mongodb://${user}${address}/rewards?replicaSet=rs0&authSource=admin&${options}`;
  const user = `service:${encodeURIComponent('p@ss word')}@`;
  const connection = await connectMongo(uriOf(user, tls), 20_000);
  t.teardown(() => connection.close());
  await connection.collection('things').insertOne({ kept: true });
  t.is(await connection.collection('things').countDocuments(), 1);

  for (const [what, uri, problem] of [
    ['no TLS', uriOf(user, 'tls=false'), /closed|timed out|disconnected|ECONNRESET/i],
    [
      'another issuer',
      uriOf(user, `tls=true&tlsCAFile=${encodeURIComponent(file('other.pem'))}`),
      /self-signed|unable to verify|certificate/i,
    ],
    ['another password', uriOf('service:wrong@', tls), /Authentication failed/],
  ] as const) {
    const { message } = await t.throwsAsync(() => connectMongo(uri, 3_000), undefined, what);
    t.regex(message, problem, what);
    t.false(message.includes('p@ss'), what);
  }
  const anonymous = await connectMongo(uriOf('', tls), 20_000);
  t.teardown(() => anonymous.close());
  await t.throwsAsync(() => anonymous.collection('things').countDocuments(), {
    message: /requires authentication/,
  });
});
