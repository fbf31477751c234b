import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManagedProcess, startProcess } from '../../dev/managed-process.ts';
import { answers, choosePort, onFreePort } from '../../dev/servers/ports.ts';
import { installDebian } from '../../dev/tools/debian.ts';
import { eventually } from './eventually.ts';

const program = '/usr/bin/redis-server';
const graceMs = 10_000;

export interface Redis extends ManagedProcess {
  url: string;
  /** As if it had been started again: it keeps nothing on disk. */
  empty(): void;
  /** Everything that is in it, as bytes with readable strings. */
  contents(): Promise<string>;
  remove(): Promise<void>;
}

/** Redis on a free port, which writes to disk only when it is asked for its contents. */
export async function startRedis(log: (line: string) => void): Promise<Redis> {
  await installDebian(['redis-server'], () => existsSync(program));
  const folder = await mkdtemp(join(tmpdir(), 'prove-medusa-redis-'));
  return await onFreePort(async () => {
    const port = await choosePort(
      { variable: 'REDIS_PORT', what: 'Redis', preferredPort: 0 },
      {},
      log,
    );
    const command = (name: string) => execFileSync('redis-cli', ['-p', String(port), name]);
    const started = await startProcess({
      command: program,
      args: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--rdbcompression', 'no', '--maxmemory-policy', 'noeviction'],
      ],
      env: process.env,
      cwd: folder,
      graceMs,
      logFile: join(folder, 'log'),
    });
    await eventually('Redis answers', () => answers(port));
    return {
      ...started,
      url: `redis://127.0.0.1:${port}`,
      empty: () => void command('flushall'),
      async contents() {
        command('save');
        return await readFile(join(folder, 'dump.rdb'), 'latin1');
      },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  });
}
