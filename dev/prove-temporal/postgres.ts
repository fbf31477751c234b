import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ManagedProcess, startProcess } from '../managed-process.ts';

const run = promisify(execFile);
/** PostgreSQL refuses to run as root; as root, uses `nobody`. */
const nobody = 65_534;
const asNobody = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups'];
const isRoot = process.getuid?.() === 0;
const patienceMs = 60_000;
const debianFolder = '/usr/lib/postgresql';

export interface Postgres {
  port: number;
  user: string;
  restart(): Promise<void>;
}

/**
 * Runs the system's PostgreSQL on the loopback address, without passwords.
 * @param port a free port
 * @throws Error without PostgreSQL, or if it does not start
 */
export async function startPostgres(dataDir: string, port: number): Promise<Postgres> {
  const bin = await findBinaries();
  const user = 'temporal';
  const data = join(dataDir, 'postgresql');
  await mkdir(data, { recursive: true, mode: 0o700 });
  if (isRoot) {
    await chmod(dataDir, 0o711);
    await chown(data, nobody, nobody);
  }
  const command = (name: string, args: string[]): [string, string[]] =>
    isRoot ? ['setpriv', [...asNobody, join(bin, name), ...args]] : [join(bin, name), args];
  await run(...command('initdb', ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8']));
  const start = async (): Promise<ManagedProcess> => {
    const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
    const [program, all] = command('postgres', [...args, '-c', 'unix_socket_directories=']);
    const postgres = await startProcess({
      command: program,
      args: all,
      env: process.env,
      graceMs: 10_000,
      logFile: join(dataDir, 'postgresql.log'),
    });
    const isReady = () =>
      run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
        () => true,
        () => false,
      );
    for (const deadlineMs = Date.now() + patienceMs; !(await isReady()); await delay(100)) {
      if (Date.now() > deadlineMs) throw new Error('PostgreSQL does not start.');
    }
    return postgres;
  };
  let running = await start();
  return {
    port,
    user,
    async restart() {
      // Disconnects clients at once (SIGQUIT is its immediate shutdown).
      process.kill(running.pid, 'SIGQUIT');
      await running.exited;
      running = await start();
    },
  };
}

async function findBinaries(): Promise<string> {
  const versions = await readdir(debianFolder).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0];
  if (newest) return join(debianFolder, newest, 'bin');
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const names: string[] = await readdir(folder).catch(() => []);
    if (names.includes('initdb') && names.includes('postgres')) return folder;
  }
  throw new Error('PostgreSQL is missing. Install it from your system’s packages.');
}
