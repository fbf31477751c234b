import { join } from 'node:path';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import type { ServerOptions } from '../servers/mongo.ts';
import { choosePort } from '../servers/ports.ts';
import { loadLocalKeys } from '../start/keys.ts';

const graceMs = 25_000;

export type Processes = Awaited<ReturnType<typeof createProcessStarter>>;

/** What the processes of a service share: servers, keys, an outbox and a portal. */
export async function createProcessStarter(
  { dataDir, env: inherited, log }: ServerOptions,
  servers: { mongodbUri: string; temporalAddress: string },
) {
  const freePort = (what: string) =>
    choosePort({ variable: 'PORT', what, preferredPort: 0 }, {}, log);
  const outboxDir = join(dataDir, 'outbox');
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    OUTBOX_DIR: outboxDir,
    // The proof has only one operator.
    FOUR_EYES: 'off',
    LOG_LEVEL: 'warn',
  };
  const started: ManagedProcess[] = [];
  return {
    env,
    outboxDir,
    freePort,

    /**
     * Starts a Node process with its own log.
     * @param own additional environment variables
     * @param folder of another version of the project, which has its own Node
     */
    async runNode(
      args: string[],
      name: string,
      own: NodeJS.ProcessEnv,
      folder?: string,
    ): Promise<ManagedProcess> {
      const child = await startProcess({
        command: folder ? join(folder, 'node_modules', '.bin', 'node') : process.execPath,
        args,
        env: { ...env, ...own },
        ...(folder !== undefined && { cwd: folder }),
        graceMs,
        logFile: join(dataDir, `${name}-${started.length}.log`),
      });
      started.push(child);
      return child;
    },

    async stopAll(): Promise<void> {
      await Promise.all(started.map((child) => child.stop()));
    },
  };
}
