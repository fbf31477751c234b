import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatMasterKey } from '../../platform/master-keys.ts';
import { eventually } from './eventually.ts';
import { compileCache, inherited } from './inherited.ts';
import type { Service } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface OwnProcess {
  /** Its output so far. */
  output(): string;
  hasEnded(): boolean;
  /** The address of one of its servers, once its log contains this message. */
  address(
    message: 'API is listening' | 'portal is listening' | 'metrics are served',
  ): Promise<string>;
  /** Stops it. @returns its exit code; null if a signal ended it */
  end(): Promise<number | null>;
}

/** Starts one of the service's processes as in a deployment, with the test's database and task queue. */
export function startOwnProcess(
  { config }: Service,
  args: string[],
  env: Record<string, string> = {},
): OwnProcess {
  let output = '';
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...compileCache,
      ...inherited(['WORKFLOW_BUNDLE', 'COMMAND_BUNDLE', 'NODE_OPTIONS']),
      MONGODB_URI: config.mongodbUri,
      TEMPORAL_ADDRESS: config.temporal.address,
      TEMPORAL_TASK_QUEUE: config.temporal.taskQueue,
      MASTER_KEYS: config.masterKeys.map(formatMasterKey).join(),
      CUSTOMER_HASH_KEY: config.customerHashKey.export().toString('base64'),
      MESSAGE_DIR: join(tmpdir(), config.temporal.taskQueue, 'messages'),
      // Any free port: several processes run at a time, and each logs its port.
      PORT: '0',
      ADMIN_PORT: '0',
      PORTAL_PORT: '0',
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
    async address(message) {
      const port = await eventually(async () => {
        const line = output.split('\n').find((one) => one.includes(`"msg":"${message}"`));
        if (line === undefined && hasEnded()) throw new Error(output);
        return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port;
      }, `"${message}" is logged`);
      return `http://127.0.0.1:${port}`;
    },
    async end() {
      child.kill('SIGTERM');
      if (!hasEnded()) await once(child, 'exit');
      return child.exitCode;
    },
  };
}
