import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import type { Collection } from 'mongoose';
import { type RunningServers, startServers } from '../../dev/servers.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { connectPatiently } from '../helpers/connect-patiently.ts';
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
  const connection = await connectPatiently(servers.mongodbUri);
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
