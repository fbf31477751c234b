import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface OwnProcess {
  /** Everything it wrote until now. */
  output(): string;
  hasEnded(): boolean;
  /** The address at which one of its servers listens, once its log says so. @param said as it says that */
  address(said: 'API is listening' | 'portal is listening' | 'metrics are served'): Promise<string>;
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
      // Any free one: several run at a time, and each tells where it listens.
      ...{ PORT: '0', ADMIN_PORT: '0', PORTAL_PORT: '0' },
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
    async address(said) {
      const port = await eventually(async () => {
        const line = output.split('\n').find((one) => one.includes(`"msg":"${said}"`));
        if (line === undefined && hasEnded()) throw new Error(output);
        return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port;
      }, said);
      return `http://127.0.0.1:${port}`;
    },
    async end() {
      child.kill('SIGTERM');
      if (!hasEnded()) await once(child, 'exit');
      return child.exitCode;
    },
  };
}
