import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import { binaryOfFolder, environmentOf } from './binary.ts';
import { choosePort, onAnyPort } from './ports.ts';
import { awaitPrimary, joinAsOnlyMember } from './replica-set.ts';
import { mongodSources, type Places } from './sources.ts';
import { startFailure } from './start-failure.ts';

export interface MongoServer extends ManagedProcess {
  uri: string;
  port: number;
}

export interface ServerOptions extends Places {
  /** The data folder; a later start with the same folder continues with its data. */
  dataDir: string;
  /** 0 for any free port; by default the usual port, or the next free one. */
  port?: number;
  /** Additional arguments of mongod. */
  mongodOptions?: readonly string[];
  /** Only for Temporal: lowers its priority on a busy machine. */
  isBackground?: boolean;
}

const cacheSize = '--wiredTigerCacheSizeGB';
const databaseName = 'partner_events';
/** mongod writes its journal and exits within this time; then it is killed, which is safe too. */
const graceMs = 20_000;
/** How long to wait for a mongod that is still closing the same data folder. */
const releasePatienceMs = 10_000;

/**
 * Runs mongod as a one-node replica set on the loopback address, and waits until it accepts writes.
 * @throws Error without mongod, or with its output if it does not start
 */
export async function startMongo(options: ServerOptions): Promise<MongoServer> {
  return options.port === 0 ? await onAnyPort(() => startOnce(options)) : await startOnce(options);
}

async function startOnce(options: ServerOptions): Promise<MongoServer> {
  await awaitReleased(await dbPathOf(options.dataDir), options);
  const port = await choosePort(
    { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: options.port ?? 27_017 },
    options.port === undefined ? options.env : {},
    options.log,
  );
  const mongod = await runMongod(options, port, options.mongodOptions);
  const address = `127.0.0.1:${port}`;
  try {
    await Promise.race([
      joinAsOnlyMember(address).then(() => awaitPrimary(address)),
      mongod.exited.then((code) => startFailure('mongod', code, mongod.logFile)),
    ]);
  } catch (error) {
    await mongod.stop();
    throw error;
  }
  return { ...mongod, port, uri: `mongodb://${address}/${databaseName}?replicaSet=rs0` };
}

/**
 * Runs a mongod as a member of the replica set `rs0`, without waiting for it.
 * @param args additional arguments
 */
export async function runMongod(
  options: ServerOptions,
  port: number,
  args: readonly string[] = [],
): Promise<ManagedProcess & { logFile: string }> {
  const dbPath = await dbPathOf(options.dataDir);
  const binary = await binaryOfFolder(
    'mongod',
    options.dataDir,
    mongodSources(options),
    options.log,
  );
  const logFile = join(options.dataDir, 'mongod.log');
  const mongod = await startProcess({
    command: binary.path,
    args: [
      ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'],
      ...['--replSet', 'rs0', '--oplogSize', '512'],
      '--nounixsocket',
      // Without other members, a shutdown has nothing to wait for.
      ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=500'],
      ...(args.includes(cacheSize) ? [] : [cacheSize, '0.5']),
      ...args,
    ],
    env: environmentOf(binary),
    graceMs,
    logFile,
  });
  return { ...mongod, logFile };
}

/** The folder of a mongod's data, created if missing. */
export async function dbPathOf(dataDir: string): Promise<string> {
  const dbPath = join(dataDir, 'mongodb');
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  return dbPath;
}

/**
 * `mongod.lock` contains the process id while a mongod uses the folder, and after it was killed.
 * @throws Error if a mongod uses the folder and does not exit
 */
async function awaitReleased(dbPath: string, options: ServerOptions): Promise<void> {
  const deadlineMs = Date.now() + releasePatienceMs;
  let isAnnounced = false;
  for (;;) {
    const text = await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '');
    const pid = Number(text.trim());
    if (!pid || !(await commandOf(pid)).includes('mongod')) return;
    if (Date.now() > deadlineMs) {
      throw new Error(
        `mongod (process ${pid}) uses ${dbPath}. Stop the service that runs there, ` +
          'or choose another DATA_DIR.',
      );
    }
    if (!isAnnounced) options.log(`Waiting for mongod (process ${pid}) to release ${dbPath} …`);
    isAnnounced = true;
    await sleep(250);
  }
}

/** The command line of a process; empty if it has exited. Its id may since have been reused. */
async function commandOf(pid: number): Promise<string> {
  const ofLinux = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (ofLinux !== undefined || process.platform === 'linux') return ofLinux ?? '';
  const ps = promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']);
  return await ps.then(
    ({ stdout }) => stdout,
    () => '',
  );
}
