import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import test from 'ava';
import mongoose from 'mongoose';
import type { ManagedProcess } from '../../dev/managed-process.ts';
import { rightsFile } from '../../dev/mongodb-rights.ts';
import { runMongod, startFailure } from '../../dev/servers/mongo.ts';
import { choosePort, onFreePort } from '../../dev/servers/ports.ts';
import { userCacheDir } from '../../dev/servers.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { createCommit } from '../../models/commit.ts';
import { createModels } from '../../models/schemas/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import type { Route } from '../../portal/routing/route.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { Browser } from '../portal/helpers/browser.ts';
import { filledPath, type Owner, plausible, routeName } from '../portal/helpers/fixtures.ts';
import { operatorBrowser, partnerBrowser } from '../portal/helpers/people.ts';
import { startPortal } from '../portal/helpers/portal.ts';
import { takeEveryPathOn } from '../workflows/helpers/every-path.ts';

const { MongoClient } = mongoose.mongo;
const database = 'partner_events';
const processes = ['api', 'portal', 'worker', 'migrate'] as const;
type Process = (typeof processes)[number];
const unauthorized = { code: 13 };

let dataDir: string;
let mongod: ManagedProcess & { logFile: string };
let port: number;
let service: OwnService;

const uriOf = (user: Process | 'root') =>
  `mongodb://${user}:of-${user}@127.0.0.1:${port}/${database}?replicaSet=rs0${user === 'root' ? '&authSource=admin' : ''}`;

test.before(async () => {
  dataDir = await mkdtemp(join(throwawayFolder(), 'mongodb-users-'));
  const keyFile = join(dataDir, 'key');
  await writeFile(keyFile, 'members know each other by this', { mode: 0o400 });
  mongod = await onFreePort(() => startMongod(keyFile));
  await createRoot();
  await createUsers();
  // Again, as at every start.
  await createUsers();

  await migrate();
  // The tests' own queries use root.
  service = await startOwnService(
    { MONGODB_URI: uriOf('root') },
    { uris: { api: uriOf('api'), portal: uriOf('portal'), worker: uriOf('worker') } },
  );
});
test.after.always(async () => {
  await service?.stop();
  await mongod?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startMongod(keyFile: string) {
  const { MONGODB_URI: _, ...env } = process.env;
  const log = () => undefined;
  port = await choosePort({ variable: 'PORT', what: 'MongoDB', preferredPort: 0 }, {}, log);
  const options = { dataDir, env, log, cacheDir: userCacheDir(env) };
  const started = await runMongod(options, port, ['--keyFile', keyFile]);
  const answers = unauthenticated((admin) => admin.command({ hello: 1 }));
  const ended = started.exited.then((code) => startFailure('mongod', code, started.logFile));
  await Promise.race([answers, ended]);
  return started;
}

async function unauthenticated<T>(work: (admin: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
  try {
    return await work(client.db('admin'));
  } finally {
    await client.close();
  }
}

/** Uses MongoDB's localhost exception, which allows only the creation of the first user. */
const createRoot = () =>
  unauthenticated(async (admin) => {
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    await admin.command({ replSetInitiate: { _id: 'rs0', members } });
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) await delay(50);
    await admin.command({ createUser: 'root', pwd: 'of-root', roles: ['root'] });
  });

/**
 * Runs the users script of Docker Compose as mongosh would: it queries the existing roles and users, and
 * its writes run in order.
 * @returns the lines that it printed
 */
async function createUsers(
  given: NodeJS.ProcessEnv = {},
  addressOf = (name: Process) => uriOf(name),
): Promise<string[]> {
  const script = new URL('users.js', rightsFile);
  const client = await MongoClient.connect(uriOf('root'));
  try {
    const existing = {
      ...(await client.db(database).command({ rolesInfo: 1, showPrivileges: true })),
      ...(await client.db(database).command({ usersInfo: 1 })),
    } as { roles: { role: string }[]; users: { user: string }[] };
    const writes: object[] = [];
    const printed: string[] = [];
    const sibling = {
      getName: () => database,
      runCommand(command: { rolesInfo?: string; usersInfo?: string }) {
        const { rolesInfo, usersInfo } = command;
        if (rolesInfo) return { roles: existing.roles.filter(({ role }) => role === rolesInfo) };
        if (usersInfo) return { users: existing.users.filter(({ user }) => user === usersInfo) };
        return writes.push(command);
      },
    };
    // What replica-set.js leaves, which runs before.
    vm.runInNewContext(await readFile(script, 'utf8'), {
      primary: { getSiblingDB: (name: string) => name === database && sibling },
      // As `setup --cluster` writes them.
      secret: (name: string) =>
        addressOf(name.replace('mongodb_uri_', '') as Process).replace(
          /@[^/]+/,
          '@a:27017,b:27017',
        ),
      readFileSync,
      process: { env: { MONGODB_RIGHTS: fileURLToPath(rightsFile), ...given } },
      print: (line: string) => void printed.push(line),
    });
    for (const command of writes) await client.db(database).command(command);
    return printed;
  } finally {
    await client.close();
  }
}

/** Creates collections and indexes with the migration process, which runs before the others. */
async function migrate(): Promise<void> {
  const key = () => randomBytes(32).toString('base64');
  const config = loadConfig({
    MONGODB_URI: uriOf('migrate'),
    TEMPORAL_ADDRESS: process.env.TEMPORAL_ADDRESS ?? '',
    TEMPORAL_TASK_QUEUE: `test_${randomUUID().slice(0, 8)}`,
    MASTER_KEYS: `test1:${key()}`,
    CUSTOMER_HASH_KEY: key(),
  });
  const migrating = startOwnProcess({ config } as OwnService, ['cli/migrate.ts']);
  while (!migrating.hasEnded()) await delay(100);
  if (!migrating.output().includes('Indexes built')) throw new Error(migrating.output());
}

let logRead = 0;

/** The authorization failures in MongoDB's log since the last call. */
async function newRefusals(): Promise<string[]> {
  const log = await open(mongod.logFile);
  try {
    const bytes = Buffer.alloc((await log.stat()).size - logRead);
    const { bytesRead } = await log.read(bytes, 0, bytes.length, logRead);
    // An incomplete last line is read by the next call.
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n', bytesRead) + 1);
    logRead += whole.length;
    return `${whole}`.split('\n').filter((line) => line.includes(`not authorized on ${database}`));
  } finally {
    await log.close();
  }
}

test.serial(
  'every path of every workflow works with separate users for the processes, none of them root',
  async (t) => {
    const ways = await takeEveryPathOn(service);
    t.true(ways.length > 10);
    await service.flushed();
    t.deepEqual(await newRefusals(), []);
  },
);

test.serial('every page and every form works with the portal’s user', async (t) => {
  const portal = await startPortal(service);
  const models = createModels(await connectMongo(uriOf('portal')));
  const restrictedDeps = {
    models,
    commit: createCommit({ models, hashKey: service.hashKey, now: Date.now }),
  };
  const restricted = await startPortal({ ...service, ...restrictedDeps });
  t.teardown(async () => {
    await restricted.stop();
    await portal.stop();
    await models.connection.close();
  });
  const { partnerId } = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  // One of the forms adds test funding, after which TEST rewards wait for more.
  await topUpAsOperator(service, { partnerId, mode: 'TEST' }, 1_000_000);
  const owner: Owner = { partnerId, mark: 'mark' };
  const target = { ...portal, url: restricted.url };
  const readers = {
    public: new Browser(target),
    user: await partnerBrowser(target, partnerId),
    partner: await partnerBrowser(target, partnerId),
    operator: await operatorBrowser(target),
  };
  const routes = restricted.table.filter(({ path }: Route) => path !== '/sign-out');
  t.true(routes.length > 100);
  for (const route of routes) {
    const reader = readers[route.audience];
    const path = await filledPath(portal, route, owner);
    if (route.method === 'GET') await reader.ask('GET', path);
    else {
      await reader.open(route.audience === 'public' ? '/sign-in' : '/account');
      const given = route.fields.filter((name) => name in plausible);
      await reader.send(
        route,
        path,
        Object.fromEntries(given.map((name) => [name, plausible[name] ?? ''])),
      );
    }
    t.deepEqual(await newRefusals(), [], routeName(route));
  }
});

test.serial(
  'the audit and the first operator need only the rights of the worker’s and the API’s users',
  async (t) => {
    for (const [user, args] of [
      ['worker', ['cli/audit.ts']],
      ['api', ['cli/create-admin.ts', '--name', 'Grace', '--email', 'grace@shop.example']],
      ['api', ['cli/note-backup.ts']],
    ] as const) {
      const command = startOwnProcess(service, [...args], {
        MONGODB_URI: uriOf(user),
        MESSAGE_DIR: join(dataDir, 'messages'),
      });
      while (!command.hasEnded()) await delay(100);
      t.deepEqual(await newRefusals(), [], command.output());
    }
  },
);

test.serial(
  'a compromised process cannot rewrite the ledger, create a user, or read another process’s data',
  async (t) => {
    const connections = new Map(
      await Promise.all(
        processes.map(async (name) => [name, await connectMongo(uriOf(name))] as const),
      ),
    );
    t.teardown(() => Promise.all([...connections.values()].map((one) => one.close())));
    const refused = async (user: Process, what: (db: mongoose.mongo.Db) => Promise<unknown>) => {
      const { db } = connections.get(user) ?? {};
      if (!db) throw new Error(`${user} is not connected`);
      await t.throwsAsync(what(db), unauthorized, user);
    };
    for (const user of processes) {
      await refused(user, (db) => db.collection('ledger_transactions').deleteMany({}));
      await refused(user, (db) =>
        db.collection('ledger_transactions').updateMany({}, { $set: { a: 1 } }),
      );
      await refused(user, (db) => db.dropDatabase());
      await refused(user, (db) => db.collection('rewards').drop());
      await refused(user, (db) => db.command({ createUser: 'mallory', pwd: 'x', roles: [] }));
      await refused(user, (db) => db.command({ dropIndexes: 'ledger_transactions', index: '*' }));
    }
    for (const user of ['api', 'portal', 'worker'] as const) {
      await refused(user, (db) => db.collection('rewards').createIndex({ state: 1 }));
    }
    await refused('worker', (db) => db.collection('sessions').findOne({}));
    await refused('worker', (db) => db.collection('proposals').insertOne({}));
    await refused('portal', (db) => db.collection('relays').findOne({}));
    await refused('migrate', (db) => db.collection('rewards').findOne({}));
    // Permitted reads work.
    const { db } = connections.get('worker') ?? {};
    const kept = await db?.collection('ledger_transactions').countDocuments({});
    t.true(Number(kept) > 0);
  },
);

test.serial(
  'a release keeps the previous release’s rights while both run, until they are revoked',
  async (t) => {
    const former = JSON.parse(await readFile(rightsFile, 'utf8'));
    t.false('given_up' in former.worker || former.worker.rewards.includes('remove'));
    former.worker.given_up = ['find', 'insert'];
    former.worker.rewards.push('remove');
    const file = join(dataDir, 'former-rights.json');
    await writeFile(file, JSON.stringify(former));
    await createUsers({ MONGODB_RIGHTS: file });
    const connection = await connectMongo(uriOf('worker'));
    t.teardown(() => connection.close());
    const insert = () => connection.db?.collection('given_up').insertOne({});

    const kept = [
      'worker: remove on rewards, kept for the previous version',
      'worker: find, insert on given_up, kept for the previous version',
    ];
    t.deepEqual((await createUsers()).toSorted(), kept.toSorted());
    await insert();
    t.deepEqual(
      (await createUsers()).toSorted(),
      kept.toSorted(),
      'every run reports the rights that it kept',
    );

    const revoked = kept.map((line) => line.replace('kept for the previous version', 'revoked'));
    t.deepEqual((await createUsers({ MONGODB_REVOKE: 'on' })).toSorted(), revoked.toSorted());
    await t.throwsAsync(async () => insert(), unauthorized);
    t.deepEqual(await createUsers(), []);
  },
);

test.serial(
  'while a password is replaced, the former user and the new one work; then the former is removed',
  async (t) => {
    const works = async (user: string, password: string) => {
      const uri = `mongodb://${user}:${password}@127.0.0.1:${port}/${database}?replicaSet=rs0`;
      const client = new MongoClient(uri);
      try {
        await client.db(database).collection('relays').findOne({});
      } finally {
        await client.close();
      }
    };
    const second = (name: Process) =>
      name === 'worker' ? uriOf(name).replace('worker:of-worker', 'worker.2:another') : uriOf(name);
    await createUsers({}, second);
    await works('worker', 'of-worker');
    await works('worker.2', 'another');
    // It is the address that says which one stays.
    await createUsers({ MONGODB_DROP: 'worker' });
    await works('worker', 'of-worker');
    await t.throwsAsync(works('worker.2', 'another'), { message: /Authentication failed/ });
    const other = (name: Process) => uriOf(name).replace('worker:of-worker', 'root:of-root');
    await t.throwsAsync(createUsers({}, other), { message: /worker or worker\.2/ });
  },
);
