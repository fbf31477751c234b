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
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const ports = { mongodb: 0, temporal: 0, temporalUi: 0 };
  servers = await startServers({ dataDir, env, ports, log: () => undefined });
});
test.after.always(async () => {
  await servers?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

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
