import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { runMongod, type ServerOptions } from '../../dev/servers/mongo.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { openHelm } from '../chart/helm.ts';
import { databaseTool } from '../support/database-tools.ts';
import type { Processes } from '../support/processes.ts';

const run = promisify(execFile);
const key = 'membersKnowEachOtherByThis';
const root = { name: 'root', password: 'of-root' };
const dumper = { name: 'dumper', password: 'of-dumper' };
const alreadyThere = [13, 23];
const keptDays = 14;
const page = new URL('../../docs/operate/backup.md', import.meta.url);

/**
 * Starts a MongoDB that allows nothing without a user: the process `MongoDB`. On an empty folder it begins anew.
 * @returns its address, by user
 */
export async function addGuardedMongo(processes: Processes, options: ServerOptions) {
  const wanted = { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: 0 };
  const port = await choosePort(wanted, {}, options.log);
  const keyFile = join(options.dataDir, 'key');
  await writeFile(keyFile, key, { mode: 0o400 });
  const hosts = `127.0.0.1:${port}`;
  const uriOf = ({ name, password }: typeof root, database = '') =>
    `mongodb://${name}:${password}@${hosts}/${database}?replicaSet=rs0&authSource=admin`;
  processes.add('MongoDB', {
    async start() {
      const started = await runMongod(options, port, ['--keyFile', keyFile]);
      await begin(port);
      return started;
    },
  });
  await processes.start(['MongoDB']);
  const uri = uriOf(root, 'partner_events');
  const client = await mongoose.mongo.MongoClient.connect(uri);
  await client
    .db('admin')
    .command({ createUser: dumper.name, pwd: dumper.password, roles: ['backup'] });
  await client.close();
  return { uri, dumpUri: uriOf(dumper), hosts, keyFile };
}

/** Initiates the set and creates its first user, which anybody on this machine may once. */
async function begin(port: number): Promise<void> {
  const client = new mongoose.mongo.MongoClient(
    `mongodb://127.0.0.1:${port}/?directConnection=true`,
    { serverSelectionTimeoutMS: 60_000 },
  );
  const unlessThere = async (command: object) =>
    await client
      .db('admin')
      .command(command)
      .catch((error: { code?: number }) => {
        if (!alreadyThere.includes(error.code ?? 0)) throw error;
      });
  try {
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    await unlessThere({ replSetInitiate: { _id: 'rs0', members } });
    while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) await delay(50);
    await unlessThere({ createUser: root.name, pwd: root.password, roles: ['root'] });
  } finally {
    await client.close();
  }
}

interface Container {
  command: string[];
  args?: string[];
}

interface CronJob {
  spec: {
    jobTemplate: {
      spec: { template: { spec: Record<'initContainers' | 'containers', Container[]> } };
    };
  };
}

/**
 * The chart's backup job, with its volumes elsewhere: what it runs is what Kubernetes would.
 * @param folders its parent, and that of the audit log
 * @throws Error without Go, `mongodump` and `mongorestore`
 */
export async function openBackupJob(
  { dataDir, audit }: { dataDir: string; audit: string },
  { dumpUri, hosts, keyFile }: { dumpUri: string; hosts: string; keyFile: string },
) {
  for (const tool of ['mongodump', 'mongorestore']) await databaseTool(tool);
  const helm = await openHelm();
  const backup = { enabled: true, existingClaim: 'backups', keepDays: keptDays };
  const objects = await helm.template({ values: { backup } });
  const job = objects.find(({ kind }) => kind === 'CronJob') as unknown as CronJob;
  const { initContainers, containers } = job.spec.jobTemplate.spec.template.spec;
  const [dump, note] = [initContainers[0], containers[0]] as [Container, Container];
  const backups = join(dataDir, 'backups');
  const secret = join(dataDir, 'dump');
  const mounted = { '/backups': backups, '/run/dump': secret, '/data/audit': audit };
  for (const folder of Object.values(mounted)) await mkdir(folder, { recursive: true });
  await writeFile(join(secret, 'config'), `uri: ${dumpUri}\n`, { mode: 0o440 });
  // Of a run that was ended, and of one that is not kept any longer.
  const unfinished = join(backups, '20260102T000000Z.part');
  const old = join(backups, '20260101T000000Z');
  for (const folder of [unfinished, old]) await mkdir(folder);
  const longAgo = new Date(Date.now() - (keptDays + 1) * 86_400_000);
  await utimes(old, longAgo, longAgo);
  const elsewhere = (text: string) =>
    Object.entries(mounted).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  /** The only backup. @throws Error if it is not complete, or another one is there */
  const onlyBackup = async (): Promise<string> => {
    const [name = '', ...others] = await readdir(backups);
    if (!/^\d{8}T\d{6}Z$/.test(name) || others.length > 0) {
      throw new Error(`There are ${[name, ...others].join(', ')}.`);
    }
    const files = (await readdir(join(backups, name))).toSorted();
    if (files.join() !== 'audit,mongodb.archive.gz') throw new Error(`It has ${files}.`);
    return join(backups, name);
  };

  return {
    /** What the job has run after the copy, as arguments of Node. */
    note: note.command.slice(1),

    async copy(): Promise<void> {
      const [shell = '', ...args] = [...dump.command, ...(dump.args ?? [])].map(elsewhere);
      await run(shell, args);
    },

    /** Runs the commands of docs/operate/backup.md. */
    async putBack(): Promise<void> {
      const [, commands = ''] =
        /## From the chart's backups\n.*?```console\n(.*?)```/s.exec(
          await readFile(page, 'utf8'),
        ) ?? [];
      const names = { FOLDER: await onlyBackup(), KEY_FILE: keyFile, MONGODB_HOSTS: hosts };
      await run('sh', ['-euc', commands.replaceAll(/^\$ /gm, '')], {
        cwd: dataDir,
        env: { ...process.env, ...names },
        maxBuffer: 64 * 1024 * 1024,
      });
    },
  };
}
