import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { type Collection, mongo } from 'mongoose';
import { becomePrimary } from '../../dev/servers/mongo.ts';
import { type RunningServers, startMongo, startServers, userCacheDir } from '../../dev/servers.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { eventually } from '../helpers/eventually.ts';

let dataDir: string;
let servers: RunningServers;
test.before(async () => {
  dataDir = await mkdtemp(join(throwawayFolder(), 'servers-test-'));
  servers = await start(() => undefined);
});
test.after.always(async () => {
  await servers?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(log: (line: string) => void): Promise<RunningServers> {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const ports = { mongodb: 0, temporal: 0, temporalUi: 0 };
  return await startServers({ dataDir, env, ports, log });
}

async function inNotes<T>(work: (notes: Collection) => Promise<T>): Promise<T> {
  const connection = await connectMongo(servers.mongodbUri);
  const result = await work(connection.collection('notes'));
  await connection.close();
  return result;
}

test.serial('a killed MongoDB restarts on the same port with its data', async (t) => {
  const before = servers.pids().mongod ?? 0;
  const note = { text: 'kept' };
  await inNotes((notes) => notes.insertOne({ ...note }));
  process.kill(before, 'SIGKILL');
  await eventually(async () => servers.pids().mongod !== before, 'MongoDB is restarted');
  const found = await inNotes((notes) => notes.findOne(note));
  t.like(found, note);
});

test.serial('a killed Temporal restarts on the same port with its workflows', async (t) => {
  const before = servers.pids().temporal ?? 0;
  const connection = await Connection.connect({ address: servers.temporalAddress });
  const { workflow } = new Client({ connection });
  const workflowId = 'kept';
  await workflow.start('nothing', { workflowId, taskQueue: 'nobody' });
  process.kill(before, 'SIGKILL');
  await eventually(async () => servers.pids().temporal !== before, 'Temporal is restarted');
  const { status } = await eventually(
    () =>
      workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => undefined),
    'Temporal responds',
  );
  t.is(status.name, 'RUNNING');
  await connection.close();
});

test.serial(
  'a start waits for the servers of an earlier one that are still stopping',
  async (t) => {
    const left = Object.values(servers.pids());
    for (const pid of left) process.kill(pid, 'SIGSTOP');
    const stopped = servers.stop();
    const told: string[] = [];
    const again = start((line) => told.push(line));
    const isTold = (name: string) => told.some((line) => line.startsWith(`Waiting for ${name}`));
    await eventually(async () => isTold('temporal') && isTold('mongod'), 'both are waited for');
    for (const pid of left) process.kill(pid, 'SIGCONT');
    await stopped;
    servers = await again;
    t.is(Object.values(servers.pids()).length, 2);
  },
);

test.serial(
  'a start waits for a MongoDB in its folder that has not said yet which process it is',
  async (t) => {
    await servers.stop();
    const log = () => undefined;
    const options = { dataDir, env: process.env, cacheDir: userCacheDir(process.env), log };
    const left = await startMongo({ ...options, port: 0 });
    await writeFile(join(dataDir, 'mongodb', 'mongod.lock'), '');
    const again = startMongo({ ...options, port: 0 });
    t.teardown(async () => (await again).stop());
    const isRefused = async () =>
      (await readFile(join(dataDir, 'mongod.log'), 'utf8')).includes('DBPathInUse');
    await eventually(isRefused, 'the folder is in use');
    await left.stop();
    t.not((await again).pid, left.pid);
  },
);

/** A MongoDB that refuses some commands first. */
function reluctant(address: string, pid: number, refusals: { [command: string]: number[] }) {
  const asked: string[] = [];
  let members: { host: string }[] | null = null;
  const command = async (sent: object) => {
    const [name = ''] = Object.keys(sent);
    asked.push(name);
    const code = refusals[name]?.shift();
    if (code === 23) members = [{ host: address }];
    if (code !== undefined) throw new mongo.MongoServerError({ message: `code ${code}`, code });
    if (name === 'replSetInitiate') members = [{ host: address }];
    if (name === 'replSetGetConfig' && members === null) {
      throw new mongo.MongoServerError({ message: 'no config', code: 94 });
    }
    return { config: { version: 1, members }, isWritablePrimary: true, pid };
  };
  return { asked, command };
}

test('each step of MongoDB’s start is repeated while it is refused, and only of the process that is meant', async (t) => {
  const at = '127.0.0.1:1';
  const patience = { patienceMs: 60_000, retryMs: 1 };
  const [notYet, already, quiesce] = [94, 23, 91];
  const busy = reluctant(at, 7, {
    replSetGetConfig: [quiesce, notYet],
    replSetInitiate: [already],
    hello: [quiesce],
  });
  await becomePrimary(busy, at, 7, patience);
  t.deepEqual(busy.asked.slice(-3), ['replSetGetConfig', 'hello', 'serverStatus']);
  const another = reluctant(at, 6, { replSetGetConfig: [quiesce] });
  await t.throwsAsync(becomePrimary(another, at, 7, { patienceMs: 20, retryMs: 1 }), {
    message: /did not become primary.*code 91/,
  });
});
