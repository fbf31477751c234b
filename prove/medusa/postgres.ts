import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ManagedProcess, startProcess } from '../../dev/managed-process.ts';
import { answers, choosePort, onFreePort } from '../../dev/servers/ports.ts';
import { installDebian } from '../../dev/tools/debian.ts';
import { eventually } from './eventually.ts';

/** PostgreSQL refuses to run as root. Debian's package creates this user. */
const user = 'postgres';
const graceMs = 10_000;

export interface Postgres extends ManagedProcess {
  url: string;
  /** The rows of a query, each as text. */
  query(sql: string): string;
  remove(): Promise<void>;
}

/** PostgreSQL on a free port, with an empty database in a folder of its own. */
export async function startPostgres(log: (line: string) => void): Promise<Postgres> {
  await installDebian(['postgresql'], () => programs() !== undefined);
  const bin = programs() ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'prove-medusa-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, Number(idOf('-u')), Number(idOf('-g')));
  const data = join(folder, 'data');
  const commandOf = (program: string, args: string[]): [string, ...string[]] => {
    const own: [string, ...string[]] = [join(bin, program), ...args];
    const as = ['--reuid', user, '--regid', user, '--init-groups'];
    return isRoot ? ['setpriv', ...as, ...own] : own;
  };
  const run = (program: string, args: string[]) => {
    const [command, ...rest] = commandOf(program, args);
    return execFileSync(command, rest, { cwd: folder, encoding: 'utf8' });
  };
  run('initdb', ['--pgdata', data, '--auth', 'trust', '--username', user, '--no-sync']);
  return await onFreePort(async () => {
    const port = await choosePort(
      { variable: 'PGPORT', what: 'PostgreSQL', preferredPort: 0 },
      {},
      log,
    );
    const settings = [
      'listen_addresses=127.0.0.1',
      'fsync=off',
      `unix_socket_directories=${folder}`,
    ];
    const [command, ...args] = commandOf('postgres', [
      ...['-D', data, '-p', String(port)],
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    const started = await startProcess({
      command,
      args,
      env: process.env,
      cwd: folder,
      graceMs,
      logFile: join(folder, 'log'),
    });
    await eventually('PostgreSQL answers', () => answers(port));
    const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
    return {
      ...started,
      url,
      query: (sql) => run('psql', [url, '--no-align', '--tuples-only', '--command', sql]).trim(),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  });
}

/** The folder of PostgreSQL's programs, as Debian has them: the newest. */
function programs(): string | undefined {
  const found = globSync('/usr/lib/postgresql/*/bin/initdb').sort().at(-1);
  return found && existsSync(found) ? dirname(found) : undefined;
}

const idOf = (of: '-u' | '-g') => execFileSync('id', [of, user], { encoding: 'utf8' }).trim();
