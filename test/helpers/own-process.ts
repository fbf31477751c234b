import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface OwnProcess {
  /** Everything it wrote until now. */
  output(): string;
  hasEnded(): boolean;
  /** Asks it to stop. @returns its exit code; null where a signal ended it */
  end(): Promise<number | null>;
}

/** Starts one of the service's processes as it is deployed, on the test's database and task queue. */
export function startOwnProcess(
  { config }: Service,
  args: string[],
  env: Record<string, string> = {},
): OwnProcess {
  let output = '';
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...(process.env.WORKFLOW_BUNDLE && { WORKFLOW_BUNDLE: process.env.WORKFLOW_BUNDLE }),
      MONGODB_URI: config.mongodbUri,
      TEMPORAL_ADDRESS: config.temporal.address,
      TEMPORAL_TASK_QUEUE: config.temporal.taskQueue,
      MASTER_KEYS: config.masterKeys
        .map(({ id, key }) => `${id}:${key.export().toString('base64')}`)
        .join(),
      CUSTOMER_HASH_KEY: config.customerHashKey.export().toString('base64'),
      OUTBOX_DIR: join(tmpdir(), config.temporal.taskQueue, 'outbox'),
      // Several run at a time.
      ADMIN_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    output: () => output,
    hasEnded,
    async end() {
      child.kill('SIGTERM');
      if (!hasEnded()) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
