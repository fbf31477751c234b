import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { transactionLifetimeSeconds } from '../../platform/mongo.ts';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import { choosePort, onFreePort } from './ports.ts';
import { binaryOfFolder, environmentOf, mongodSources, type Places } from './programs.ts';

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
/** How long to wait for a server that is still closing the same data folder: until its guard kills it, and longer. */
const releasePatienceMs = graceMs + 15_000;
/** How long the replica set may take to accept writes. */
const patienceMs = 60_000;
const notYetInitialized = 94;
/** The exit code of a mongod whose folder another one uses, which may not have written its id yet. */
const folderInUse = 100;
const retryMs = 250;
/** Of the log of a server that did not start. */
const linesShown = 5;

type MongoClient = InstanceType<typeof mongoose.mongo.MongoClient>;

/**
 * Runs mongod as a one-node replica set on the loopback address, and waits until it accepts writes.
 * @throws Error without mongod, or with its output if it does not start
 */
export async function startMongo(options: ServerOptions): Promise<MongoServer> {
  const deadlineMs = Date.now() + releasePatienceMs;
  for (;;) {
    try {
      return await onFreePort(() => startOnce(options));
    } catch (error) {
      const isPassing = error instanceof StartError && error.code === folderInUse;
      if (!isPassing || Date.now() > deadlineMs) throw error;
      await sleep(retryMs);
    }
  }
}

async function startOnce(options: ServerOptions): Promise<MongoServer> {
  await awaitReleased('mongod', join(await dbPathOf(options.dataDir), 'mongod.lock'), options);
  const port = await choosePort(
    { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: options.port ?? 27_017 },
    options.port === undefined ? options.env : {},
    options.log,
  );
  const mongod = await runMongod(options, port, options.mongodOptions);
  const address = `127.0.0.1:${port}`;
  try {
    await Promise.race([
      withClient(address, (client) => becomePrimary(client.db('admin'), address, mongod.pid)),
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
      // A process that is killed amid a commit holds a partner's money up no longer.
      ...['--setParameter', `transactionLifetimeLimitSeconds=${transactionLifetimeSeconds}`],
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
 * Waits for a server that an earlier start left behind, which its guard stops.
 * @param pidFile contains the process id while a server uses the data folder, and after it was killed
 * @throws Error if a server uses the folder and does not exit
 */
export async function awaitReleased(
  name: string,
  pidFile: string,
  { dataDir, log }: ServerOptions,
): Promise<void> {
  const deadlineMs = Date.now() + releasePatienceMs;
  let isAnnounced = false;
  for (;;) {
    const text = await readFile(pidFile, 'utf8').catch(() => '');
    const pid = Number(text.trim());
    if (!pid || !(await commandOf(pid)).includes(name)) return;
    if (Date.now() > deadlineMs) {
      throw new Error(
        `${name} (process ${pid}) uses ${dataDir}. Stop the service that runs there, ` +
          'or choose another DATA_DIR.',
      );
    }
    if (!isAnnounced) log(`Waiting for ${name} (process ${pid}) to release ${dataDir} …`);
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

type Admin = Pick<ReturnType<MongoClient['db']>, 'command'>;

/**
 * Waits until a mongod is the only member of the replica set `rs0`, and accepts writes. On a busy machine it refuses
 * steps for a while: it may not have read its own configuration yet, or another one that is going away still answers
 * at the address. Then all of it is done again.
 * @param address `host:port`
 * @param pid of the mongod that is meant
 * @throws Error if it takes too long, with what was refused last
 */
export async function becomePrimary(
  admin: Admin,
  address: string,
  pid: number,
  patience = { patienceMs, retryMs },
): Promise<void> {
  const deadlineMs = Date.now() + patience.patienceMs;
  let last = '';
  while (Date.now() < deadlineMs) {
    try {
      await joinAsOnlyMember(admin, address);
      const { isWritablePrimary } = await admin.command({ hello: 1 });
      const status = isWritablePrimary && (await admin.command({ serverStatus: 1 }));
      if (status && Number(status.pid) === pid) return;
    } catch (error) {
      last = `: ${String(error)}`;
    }
    await sleep(patience.retryMs);
  }
  const seconds = patience.patienceMs / 1000;
  throw new Error(`MongoDB at ${address} did not become primary within ${seconds} s${last}`);
}

/** Initiates the set on the first start, and updates the member's address if a later start uses another port. */
async function joinAsOnlyMember(admin: Admin, address: string): Promise<void> {
  const member = { _id: 0, host: address };
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    if (config.members.length === 1 && config.members[0].host === address) return;
    const next = { ...config, version: config.version + 1, members: [member] };
    await admin.command({ replSetReconfig: next, force: true });
  } catch (error) {
    if (!isCode(error, notYetInitialized)) throw error;
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [member] } });
  }
}

async function withClient(
  address: string,
  work: (client: MongoClient) => Promise<void>,
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: patienceMs,
    heartbeatFrequencyMS: 500,
  });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === code;
}

/** Reports a server that exited while starting, with the last lines of its log. */
export async function startFailure(what: string, code: number, logFile: string): Promise<never> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  const lines = text.trim().split('\n');
  const errors = lines.filter((line) => /"s":"[EF]"|error|fail|panic/i.test(line));
  const shown = (errors.length > 0 ? errors : lines).slice(-linesShown).join('\n  ');
  throw new StartError(
    `${what} exited at once (code ${code}). Is another start using the same data folder?\n` +
      `The end of ${logFile}:\n  ${shown}`,
    code,
  );
}

/** A server exited while it was starting. */
class StartError extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}
